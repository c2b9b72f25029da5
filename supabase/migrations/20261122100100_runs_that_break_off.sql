-- A document that ends every run that reads it (too much memory, too much time) is not read for ever: after the third run that
-- broke off without a word it has failed, and a person decides
alter table private.ingestion_runs add column attempts smallint not null default 1;

/* Registers a run of a document in this state. False when three before it broke off: then the document has failed. Runs as its
   owner; asked only by the two functions below, which hold the document's row. */
create function private.begin_run(document uuid, state public.ingestion_state) returns boolean
  language plpgsql set search_path = ''
as $$
declare
  attempt smallint;
begin
  insert into private.ingestion_runs as r (document_id, reported_at) values (document, now())
    on conflict (document_id) do update set reported_at = now(), attempts = case
      when state in ('ready', 'failed') then 1 -- somebody asked for it anew
      when state in ('extracting', 'embedding') then r.attempts + 1
      else r.attempts end -- a link's page, which the same run has just fetched
    returning attempts into attempt;
  if attempt <= 3 then
    update public.documents d set state = 'extracting', state_message = null, progress = 0 where d.id = document;
    return true;
  end if;
  delete from private.ingestion_runs r where r.document_id = document;
  update public.documents d set state = 'failed', progress = 0,
    state_message = 'Reading this document broke off three times. Make it smaller or split it, then upload the parts.'
    where d.id = document;
  return false;
end
$$;

create or replace function public.begin_ingestion(document uuid)
  returns table (
    claimed boolean, library_id uuid, version_id uuid, kind public.document_kind, storage_path text, body text,
    file_name text, mime_type text, state public.ingestion_state
  )
  language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  found_document public.documents;
  free boolean;
  begun boolean := false;
begin
  select * into found_document from public.documents d
  where d.id = document and d.deleted_at is null and d.current_version_id is not null
    and (d.library_id in (select private.library_ids('editor')) or d.collection_id in (select private.granted_collections('editor')))
  for no key update;
  if not found then return; end if;
  free := found_document.state not in ('extracting', 'embedding')
    or coalesce((select max(r.reported_at) from private.ingestion_runs r where r.document_id = document), '-infinity')
       < now() - interval '2 minutes';
  if free then begun := private.begin_run(document, found_document.state); end if;
  return query
    select begun, v.library_id, v.id, found_document.kind, v.storage_path, v.body, v.file_name, v.mime_type,
      case when begun then 'extracting' when free then 'failed' else found_document.state end
    from public.versions v where v.id = found_document.current_version_id;
end
$$;

create or replace function public.begin_unfurl(document uuid) returns table (claimed boolean, library_id uuid, url text, title text)
  language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  link public.documents;
  free boolean;
  begun boolean := false;
begin
  select * into link from public.documents d
  where d.id = document and d.deleted_at is null and d.kind = 'link'
    and (d.library_id in (select private.library_ids('editor')) or d.collection_id in (select private.granted_collections('editor')))
  for no key update;
  if not found then return; end if;
  free := link.state not in ('extracting', 'embedding')
    or coalesce((select max(r.reported_at) from private.ingestion_runs r where r.document_id = document), '-infinity')
       < now() - interval '2 minutes';
  if free then begun := private.begin_run(document, link.state); end if;
  return query select begun, link.library_id, link.url, link.title;
end
$$;
