-- store_passages takes the language of the text, and keeps the library's words in step with its passages
drop function public.store_passages(uuid, jsonb, text, integer, text, text, integer, integer);

/* Puts a version's passages in place of all that the document had, in one transaction: a reader sees the old ones or the
   new ones. A passage without an embedding gets the lexical one; `model` names the model of the others. `mime` is what the
   content turned out to be, whatever the upload called it; `rendition` the place of its readable copy; width and height an
   image's, in pixels; `language` the text's (ISO 639-1), null where it is not known.
   passages: [{ page, heading, start, end, content, embedding }] in reading order. Returns how many there are, or null when
   a newer version has become current meanwhile: its own run replaces the passages. */
create function public.store_passages(
  version uuid, passages jsonb, model text default null, pages integer default null, mime text default null,
  rendition text default null, width integer default null, height integer default null, language text default null
) returns integer
  language plpgsql security definer set search_path = ''
as $$
declare
  target public.versions;
  document public.documents;
  stored integer;
begin
  select v.* into target from public.versions v where v.id = version;
  select d.* into document from public.documents d
    where d.id = target.document_id and d.current_version_id = version for no key update;
  if not found then return null; end if;

  perform private.unindex_document(document.id, document.title);
  with incoming as (
    select e.ordinality::integer - 1 as ordinal, p.*,
      encode(sha256(convert_to(p.content, 'UTF8')), 'hex') as hash
    from jsonb_array_elements(passages) with ordinality e,
      jsonb_to_record(e.value) as p (page integer, heading text, "start" integer, "end" integer, content text, embedding text)
  ), numbered as (
    select *, row_number() over (partition by hash order by ordinal) as occurrence from incoming
  ), kept as (
    insert into public.passages (
      id, library_id, document_id, version_id, ordinal, page, heading, start_offset, end_offset, content, content_hash,
      embedding, embedding_model, language)
    select md5(version || hash || occurrence)::uuid, target.library_id, target.document_id, version, ordinal, page,
      left(heading, 500), "start", "end", content, hash,
      coalesce(embedding::extensions.vector(384), private.lexical_embedding(coalesce(heading || E'\n', '') || content)),
      case when embedding is null then 'lexical-384-v1' else model end, store_passages.language
    from numbered
    on conflict (id) do update set
      ordinal = excluded.ordinal, page = excluded.page, heading = excluded.heading, start_offset = excluded.start_offset,
      end_offset = excluded.end_offset, embedding = excluded.embedding, embedding_model = excluded.embedding_model,
      language = excluded.language
    returning id
  )
  delete from public.passages where document_id = target.document_id and id not in (select id from kept);
  perform private.index_document(document.id);

  select count(*) into stored from public.passages p where p.version_id = version;
  update public.versions v set
    page_count = pages, mime_type = coalesce(mime, mime_type), rendition_path = coalesce(rendition, rendition_path),
    width = store_passages.width, height = store_passages.height
  where v.id = version;
  update public.documents d set
    state = 'ready', state_message = null, progress = 100, page_count = pages, mime_type = coalesce(mime, mime_type),
    width = store_passages.width, height = store_passages.height
  where d.id = target.document_id;
  perform private.anchor_comments(target.document_id);
  delete from private.ingestion_runs where document_id = target.document_id;
  return stored;
end
$$;
grant execute on function public.store_passages to service_role;
