-- Collections and tags, too, change on everybody's screen
alter publication supabase_realtime add table public.collections, public.tags;
