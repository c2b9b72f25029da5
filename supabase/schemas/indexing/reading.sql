-- What a run has read, stored for the next run to continue.

-- What a run has read so far, for the next one to continue: pages of a PDF, then passages with or without vectors.
create unlogged table private.read_pages (
  document_id uuid not null references private.indexing_runs on delete cascade,
  page integer not null,
  lines jsonb not null,
  primary key (document_id, page)
);

create unlogged table private.read_passages (
  document_id uuid not null references private.indexing_runs on delete cascade,
  ordinal integer not null,
  passage jsonb not null,
  embedding extensions.vector,
  hash text, -- SHA-256 of the content
  occurrence integer, -- of this content in the document, starting at 1
  primary key (document_id, ordinal)
);

create index read_passages_hash_idx on private.read_passages (document_id, hash);

/* Stores a PDF's pages, [[line, …], …], from `first` (from 1), which resets the count of dead runs. False if the run lost the document. */
create function public.store_pages(run uuid, first integer, pages jsonb) returns boolean
  language plpgsql set search_path = ''
as $$
declare
  held private.indexing_runs := private.hold_run(run);
begin
  insert into private.read_pages (document_id, page, lines)
    select held.document_id, first + p.ordinality - 1, p.value from jsonb_array_elements(pages) with ordinality p
    where held.document_id is not null
  on conflict (document_id, page) do nothing;
  update private.indexing_runs r set attempts = 0 where r.document_id = held.document_id;
  return held.document_id is not null;
end
$$;
grant execute on function public.store_pages to service_role;

-- Returns all stored pages of the run's document, in order.
create function public.stored_pages(run uuid) returns jsonb
  language sql stable set search_path = ''
as $$
  select coalesce(jsonb_agg(p.lines order by p.page), '[]')
  from private.read_pages p join private.indexing_runs r using (document_id) where r.run = stored_pages.run
$$;
grant execute on function public.stored_pages to service_role;

/* Stores passages, [{ page, heading, start, end, content }, …], in reading order from ordinal `first`. */
create function public.store_passages(run uuid, first integer, passages jsonb) returns boolean
  language plpgsql set search_path = ''
as $$
declare
  held private.indexing_runs := private.hold_run(run);
begin
  if held.document_id is null then return false; end if;
  perform private.store_read_passages(held.document_id, first, passages);
  return true;
end
$$;
grant execute on function public.store_passages to service_role;

/* Stores passages; see public.store_passages. Those before `first` are already stored. */
create function private.store_read_passages(document uuid, first integer, passages jsonb) returns void
  language sql set search_path = ''
as $$
  with incoming as (
    select first + e.ordinality - 1 as ordinal, e.value - 'embedding' as passage, (e.value ->> 'embedding')::extensions.vector as embedding,
      encode(sha256(convert_to(e.value ->> 'content', 'UTF8')), 'hex') as hash
    from jsonb_array_elements(passages) with ordinality e
  )
  insert into private.read_passages (document_id, ordinal, passage, embedding, hash, occurrence)
    select document, i.ordinal, i.passage, i.embedding, i.hash, row_number() over (partition by i.hash order by i.ordinal) + (
      select count(*) from private.read_passages r where r.document_id = document and r.hash = i.hash and r.ordinal < first)
    from incoming i
  on conflict (document_id, ordinal) do update set
    passage = excluded.passage, embedding = excluded.embedding, hash = excluded.hash, occurrence = excluded.occurrence
$$;

/* Stores the last passages, and completes the reading: { indexer_version, count, pages, mime, rendition, width, height, language, title, author, dated, reference,
   outline }. */
create function public.complete_reading(run uuid, reading jsonb, first integer default 0, passages jsonb default '[]') returns boolean
  language plpgsql set search_path = ''
as $$
declare
  held private.indexing_runs := private.hold_run(run);
begin
  perform private.store_read_passages(held.document_id, first, passages) where held.document_id is not null;
  update private.indexing_runs r set reading = complete_reading.reading, attempts = 0 where r.document_id = held.document_id;
  delete from private.read_pages p where p.document_id = held.document_id;
  delete from private.read_passages p where p.document_id = held.document_id and p.ordinal >= (complete_reading.reading ->> 'count')::integer;
  return held.document_id is not null;
end
$$;
grant execute on function public.complete_reading to service_role;

-- Returns passages without a vector, for store_embeddings. None if the library forbids models: the database computes lexical vectors.
create function public.passages_to_embed(run uuid, most integer) returns table (ordinal integer, heading text, content text)
  language sql stable set search_path = ''
as $$
  select p.ordinal, p.passage ->> 'heading', p.passage ->> 'content'
  from private.read_passages p join private.indexing_runs r using (document_id) join public.documents d on d.id = document_id
  join public.libraries l on l.id = d.library_id and l.allows_models
  where r.run = passages_to_embed.run and p.embedding is null order by p.ordinal limit most
$$;
grant execute on function public.passages_to_embed to service_role;

-- Rejects vectors of a model that has been replaced in the meantime; the run then loses the document.
create function public.store_embeddings(run uuid, embeddings jsonb, model text default null) returns boolean
  language plpgsql set search_path = ''
as $$
declare
  held private.indexing_runs := private.hold_run(run);
begin
  if exists (select from private.indexing i where i.model <> store_embeddings.model) then return false; end if;
  update private.read_passages p set embedding = (e.value ->> 'embedding')::extensions.vector
    from jsonb_array_elements(embeddings) e
    where p.document_id = held.document_id and p.ordinal = (e.value ->> 'ordinal')::integer;
  update private.indexing_runs r set attempts = 0 where r.document_id = held.document_id;
  return held.document_id is not null;
end
$$;
grant execute on function public.store_embeddings to service_role;

/* Drops what was read of the previous version. A run that still reads it loses the document, except the run that fetched the page. */
create function private.forget_reading(document uuid) returns void
  language sql set search_path = ''
as $$
  select private.discard_stored(document);
  update private.indexing_runs r set reading = null, run = case when r.refetch then r.run end,
      reported_at = case when r.refetch then r.reported_at end
    where r.document_id = document;
  delete from private.read_pages p where p.document_id = document;
  delete from private.read_passages p where p.document_id = document;
$$;

/* Returns read passages as rows of public.passages, from one ordinal to before another. Ids stay when a document is read again. */
create function private.passages_read(document uuid, version uuid, first integer, behind integer)
  returns table (id uuid, ordinal integer, page integer, heading text, start_offset integer, end_offset integer, content text, hash text,
    embedding extensions.vector)
  language sql stable set search_path = ''
as $$
  select md5(version || r.hash || r.occurrence)::uuid, r.ordinal, p.page, left(p.heading, 500), p."start", p."end", p.content, r.hash,
    r.embedding
  from private.read_passages r,
    jsonb_to_record(r.passage) as p (page integer, heading text, "start" integer, "end" integer, content text)
  where r.document_id = document and r.ordinal >= first and r.ordinal < behind
$$;
