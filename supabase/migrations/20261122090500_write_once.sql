-- What was written without network is sent when it is back, and once more if nobody heard whether it arrived: an id that the
-- writer chose makes the second time the same as the first
grant insert (id) on public.comments to authenticated;

drop function public.add_note(uuid, text, text, uuid);
create function public.add_note(
  library uuid, title text, body text default '', collection uuid default null, document uuid default gen_random_uuid()
) returns public.documents
  language plpgsql set search_path = ''
as $$
declare
  added public.documents;
begin
  select * into added from public.documents d where d.id = add_note.document and d.library_id = add_note.library;
  if found then return added; end if;
  insert into public.documents (id, library_id, collection_id, kind, title)
    values (document, library, collection, 'note', add_note.title);
  insert into public.versions (library_id, document_id, body, mime_type, size_bytes)
    values (library, document, add_note.body, 'text/markdown', 0);
  select * into added from public.documents d where d.id = add_note.document;
  return added;
end
$$;
grant execute on function public.add_note to authenticated;
