-- Functions that add documents.

/* Registers an uploaded file at `<library>/<document>/<anything>` as a new document or version. With `attachments` false, a mail's
   attachments don't become documents. Applies the caller's rights. */
create function public.add_file(
  library uuid, document uuid, path text, file_name text,
  title text default null, collection uuid default null, content_hash text default null, attachments boolean default true
) returns public.documents
  language plpgsql set search_path = ''
as $$
declare
  added public.documents;
begin
  if not exists (select from public.documents d where d.id = document) then
    insert into public.documents (id, library_id, collection_id, kind, title)
      values (document, library, collection, 'file', left(coalesce(nullif(trim(add_file.title), ''), add_file.file_name), 300));
  end if;
  -- Type and size are placeholders: the trigger reads them from the stored object.
  insert into public.versions (library_id, document_id, storage_path, file_name, mime_type, size_bytes, content_hash, attachments_left)
    values (library, document, path, add_file.file_name, 'application/octet-stream', 0, add_file.content_hash,
      case when attachments is false then 0 else 500 end);
  select * into added from public.documents d where d.id = document;
  return added;
end
$$;
grant execute on function public.add_file to authenticated, api_key, service_role;

/* Adds a link. The function `ingest` fetches its page as the first version, unless a browser has already uploaded the page to `path`. */
create function public.add_link(
  library uuid, url text, title text default null, collection uuid default null,
  document uuid default gen_random_uuid(), path text default null
) returns public.documents
  language plpgsql set search_path = ''
as $$
declare
  added public.documents;
begin
  perform set_config('carrel.link_with_page', case when path is null then '' else document::text end, true);
  insert into public.documents (id, library_id, collection_id, kind, url, title)
    values (document, library, collection, 'link', add_link.url, left(coalesce(nullif(trim(add_link.title), ''), add_link.url), 300));
  if path is not null then
    insert into public.versions (library_id, document_id, storage_path, file_name, mime_type, size_bytes)
      values (library, document, path, substring(path from '[^/]*$'), 'text/html', 0);
  end if;
  select * into added from public.documents d where d.id = document;
  return added;
end
$$;
grant execute on function public.add_link to authenticated;

/* Adds a note, or returns the one with this id. Without a title, it follows its first line. Notes begun offline have the app's version id. */
create function public.add_note(
  library uuid, title text default null, body text default '', collection uuid default null, document uuid default gen_random_uuid(),
  version uuid default gen_random_uuid()
) returns public.documents
  language plpgsql set search_path = ''
as $$
declare
  added public.documents;
begin
  select * into added from public.documents d where d.id = add_note.document and d.library_id = add_note.library;
  if found then return added; end if;
  if private.first_line(add_note.body) is null then perform set_config('carrel.blank_note', document::text, true); end if;
  insert into public.documents (id, library_id, collection_id, kind, title)
    values (document, library, collection, 'note',
      coalesce(nullif(trim(add_note.title), ''), private.first_line(add_note.body), 'Untitled'));
  insert into public.versions (id, library_id, document_id, body, mime_type, size_bytes)
    values (version, library, document, add_note.body, 'text/markdown', 0);
  select * into added from public.documents d where d.id = add_note.document;
  return added;
end
$$;
grant execute on function public.add_note to authenticated, api_key;

/* Adds a document of an export, or a copy, with everything that belongs to it, or nothing. So the documents that exist are the record of how
   far an import has come. Applies the caller's rights.

     document  { id, kind, title, summary, url, collection, reference, tags: [id], fields: [{ field, value }],
                 versions: [{ body | path, file_name, content_hash, attachments }],
                 comments: [{ id, parent_id, body, quote, color, page, is_resolved }] } */
create function public.import_document(library uuid, document jsonb) returns void
  language plpgsql set search_path = ''
as $$
declare
  target constant uuid := document ->> 'id';
begin
  perform set_config('carrel.link_with_page', case when document -> 'versions' = '[]' then '' else target::text end, true);
  insert into public.documents (id, library_id, collection_id, kind, title, summary, url)
    select target, library, d.collection, d.kind, left(d.title, 300), d.summary, d.url
    from jsonb_to_record(document) as d (collection uuid, kind public.document_kind, title text, summary text, url text);
  insert into public.versions (library_id, document_id, body, storage_path, file_name, mime_type, size_bytes, content_hash, attachments_left)
    select library, target, v.body, v.path, v.file_name, '', 0, v.content_hash, case when v.attachments is false then 0 else 500 end
    from rows from (jsonb_to_recordset(document -> 'versions')
        as (body text, path text, file_name text, content_hash text, attachments boolean)) with ordinality as v
    order by v.ordinality;
  update public.documents d set reference = document -> 'reference' where d.id = target and document ? 'reference';
  insert into public.document_tags (library_id, document_id, tag_id)
    select library, target, tag::uuid from jsonb_array_elements_text(document -> 'tags') as tag;
  perform public.set_field_value(array[target], (f ->> 'field')::uuid, f -> 'value') from jsonb_array_elements(document -> 'fields') as f;
  insert into public.comments (id, library_id, document_id, parent_id, body, quote, color, page)
    select c.id, library, target, c.parent_id, c.body, c.quote, c.color, c.page
    from jsonb_to_recordset(document -> 'comments')
      as c (id uuid, parent_id uuid, body text, quote text, color text, page integer);
  update public.comments c set resolved_at = now()
    where c.id in (select (i ->> 'id')::uuid from jsonb_array_elements(document -> 'comments') as i where i -> 'is_resolved' = 'true');
end
$$;
grant execute on function public.import_document to authenticated;

/* Creates documents from a mail's attachments for the person who added it, if they may still add some. Happens once per version, so deleted
   ones stay deleted; files already in the collection are skipped. Nested mails share half of the remaining quota.
   files: [{ id, path, file_name, title, content_hash }]. Returns each file's document, or null; null for all if the run lost the mail. */
create function public.add_attachments(run uuid, version uuid, files jsonb) returns uuid[]
  language plpgsql set search_path = ''
as $$
declare
  held constant private.indexing_runs := private.hold_run(run);
  caller constant text := coalesce(current_setting('request.jwt.claims', true), '');
  mail public.documents;
  room integer;
  file jsonb;
  attached uuid;
  kept uuid[] := '{}';
  added uuid[] := '{}';
begin
  select * into mail from public.documents d where d.id = held.document_id and d.current_version_id = version and d.deleted_at is null;
  if not found then return null; end if;
  select v.attachments_left into room from public.versions v where v.id = version;
  if not exists (select from public.members m
      where m.library_id = mail.library_id and m.user_id = mail.created_by and m.role >= 'editor')
    and mail.created_by not in (select private.editors_of_collection(mail.collection_id, array[mail.created_by]))
  then
    room := 0;
  end if;
  -- Authors, rules, activity and notifications work as if that person added them.
  perform set_config('request.jwt.claims', jsonb_build_object('sub', mail.created_by, 'role', 'authenticated')::text, true);
  for file in select * from jsonb_array_elements(files) loop
    select d.id into attached from public.documents d
      where d.library_id = mail.library_id and d.deleted_at is null and (d.id = (file ->> 'id')::uuid
        or d.content_hash = file ->> 'content_hash' and d.collection_id is not distinct from mail.collection_id)
      order by d.id = (file ->> 'id')::uuid desc limit 1;
    if attached is null and cardinality(added) < room and file ->> 'path' is not null
      and not exists (select from public.documents d where d.id = (file ->> 'id')::uuid)
    then
      attached := (public.add_file(mail.library_id, (file ->> 'id')::uuid, file ->> 'path', file ->> 'file_name', file ->> 'title',
        mail.collection_id, file ->> 'content_hash')).id;
      added := added || attached;
    end if;
    kept := kept || attached;
  end loop;
  perform set_config('request.jwt.claims', caller, true);
  update public.versions v set attachments_left = (room - cardinality(added)) / greatest(2 * cardinality(added), 1)
    where v.document_id = any (added);
  update public.versions v set attachments_left = 0 where v.id = version;
  return kept;
end
$$;
grant execute on function public.add_attachments to service_role;
