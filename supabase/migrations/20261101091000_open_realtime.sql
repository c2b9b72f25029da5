-- One private channel a library, `library:<id>`: presence, broadcast, and the changes of documents and comments
alter publication supabase_realtime add table public.documents, public.comments;

-- Null for a topic that is not a library's, so that a policy compares it with nothing.
create function private.library_of_topic(topic text) returns uuid
  language sql immutable strict parallel safe set search_path = ''
as $$
  select case when topic ~ '^library:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then substr(topic, 9)::uuid end
$$;
grant execute on function private.library_of_topic to authenticated, service_role;

create policy "members listen to their libraries" on realtime.messages for select to authenticated
  using (
    realtime.messages.extension in ('broadcast', 'presence')
    and private.library_of_topic((select realtime.topic())) in (select private.library_ids())
  );
create policy "members speak in their libraries" on realtime.messages for insert to authenticated
  with check (
    realtime.messages.extension in ('broadcast', 'presence')
    and private.library_of_topic((select realtime.topic())) in (select private.library_ids())
  );

-- Where a document's ingestion stands, as event `ingest`. From the row itself, so that no channel says what the table does not.
create function private.broadcast_ingestion() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  perform realtime.send(
    jsonb_build_object(
      'document_id', new.id, 'state', new.state, 'progress', new.progress, 'message', new.state_message,
      'page_count', new.page_count),
    'ingest', 'library:' || new.library_id, true);
  return null;
end
$$;
create trigger broadcast_ingestion after update of state, progress, state_message on public.documents
  for each row when (
    (new.state, new.progress, new.state_message) is distinct from (old.state, old.progress, old.state_message)
  )
  execute function private.broadcast_ingestion();
