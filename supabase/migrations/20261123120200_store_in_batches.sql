-- Passages are stored a few at a time: no statement takes long, however long the document is. The old passages serve until all the new
-- ones are there, and a run that breaks off goes on where the last one ended
drop function public.finish_indexing;

alter table private.read_passages
  add column hash text,      -- SHA-256 of the content
  add column occurrence integer; -- of this content in the document, counted from 1
create index read_passages_hash_idx on private.read_passages (document_id, hash);

/* What is kept before all of its text is read is of no use without these columns. */
update private.ingestion_runs set reading = null;
delete from private.read_passages;

/* Keeps passages for storing; see public.keep_passages. Those before `first` have been kept. */
create function private.keep_read_passages(document uuid, first integer, passages jsonb) returns void
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
create or replace function public.keep_passages(run uuid, first integer, passages jsonb) returns boolean
  language plpgsql security definer set search_path = ''
as $$
declare
  held private.ingestion_runs := private.hold_run(run);
begin
  if held.document_id is null then return false; end if;
  perform private.keep_read_passages(held.document_id, first, passages);
  return true;
end
$$;

/* As before, with the same result in half of the time: a loop over an array takes less than grouping rows. */
create or replace function private.lexical_embedding(content text) returns extensions.vector
  language plpgsql immutable strict parallel safe set search_path = ''
as $$
declare
  dimensions double precision[] := array_fill(0::double precision, array[384]);
  stem record;
  marked text;
  hash integer;
  place integer;
begin
  for stem in
    select lexeme, char_length(lexeme) as letters, 1 + ln(cardinality(positions)) as weight
    from unnest(to_tsvector('pg_catalog.english', content))
  loop
    hash := ('x' || left(md5(stem.lexeme), 8))::bit(32)::integer;
    place := (hash & 2147483647) % 384 + 1;
    dimensions[place] := dimensions[place] + stem.weight * sign(hash);
    marked := '^' || stem.lexeme || '$';
    for i in 1..stem.letters loop
      hash := ('x' || left(md5(substr(marked, i, 3)), 8))::bit(32)::integer;
      place := (hash & 2147483647) % 384 + 1;
      dimensions[place] := dimensions[place] + stem.weight / (1 + stem.letters) * sign(hash);
    end loop;
  end loop;
  return extensions.l2_normalize(dimensions::extensions.vector(384));
end
$$;

/* What has been read of a document, as the rows of public.passages that it becomes, from one ordinal to before another. The id is
   made from version, content and occurrence: a second reading gives the same passage the same id. */
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

/* Stores some of the passages that a run has read, hidden. One that an earlier reading of the same version has made stays as it is
   until the end; only its vector is renewed, which is right for the old reading and for the new one. */
create function private.store_some(target public.documents, held private.ingestion_runs, model text, first integer, behind integer)
  returns void
  language plpgsql set search_path = ''
as $$
declare
  spoken constant text := held.reading ->> 'language';
begin
  insert into public.passages (
    id, library_id, document_id, version_id, reading_id, ordinal, page, heading, start_offset, end_offset, content, content_hash,
    embedding, embedding_model, language)
  select r.id, target.library_id, target.id, target.current_version_id, held.reading_id, r.ordinal, r.page, r.heading, r.start_offset,
    r.end_offset, r.content, r.hash,
    coalesce(m.embedding::extensions.vector(384), private.lexical_embedding(coalesce(r.heading || E'\n', '') || r.content)), m.model, spoken
  from private.passages_read(target.id, target.current_version_id, first, behind) r,
    lateral (
      select case when store_some.model is not null then r.embedding end as embedding,
        case when store_some.model is null or r.embedding is null then 'lexical-384-v1' else store_some.model end as model) m
  where not exists (
    select from public.passages p
    where p.id = r.id and p.embedding_model = m.model and p.heading is not distinct from r.heading)
  on conflict (id) do update set embedding = excluded.embedding, embedding_model = excluded.embedding_model;

  perform private.index_passages(target, array(
    select p.id from public.passages p
    where p.version_id = target.current_version_id and p.reading_id = held.reading_id and p.ordinal >= first and p.ordinal < behind
  ), held.reading_id);
  insert into private.read_words (document_id, first, words, passages, occurrences)
    select target.id, store_some.first, coalesce(array_agg(w.word), '{}'), coalesce(array_agg(w.passages), '{}'),
      coalesce(array_agg(w.occurrences), '{}')
    from private.words_in(array(
      select concat_ws(' ', target.title, r.heading, r.content)
      from private.passages_read(target.id, target.current_version_id, first, behind) r)) w;
end
$$;

/* Puts what a run has stored in the place of all passages that the document had. */
create function private.finish_storing(target public.documents, held private.ingestion_runs) returns void
  language plpgsql set search_path = ''
as $$
declare
  reading constant jsonb := held.reading;
  total constant integer := (reading ->> 'count')::integer;
  spoken constant text := reading ->> 'language';
  reworded uuid[]; -- kept passages that are found by other words from now on
begin
  reworded := array(
    select p.id from private.passages_read(target.id, target.current_version_id, 0, total) r join public.passages p on p.id = r.id
    where p.reading_id <> held.reading_id and (p.heading, p.language) is distinct from (r.heading, spoken));
  update public.passages p set
      ordinal = r.ordinal, page = r.page, heading = r.heading, start_offset = r.start_offset, end_offset = r.end_offset,
      language = spoken
    from private.passages_read(target.id, target.current_version_id, 0, total) r
    where p.id = r.id and p.reading_id <> held.reading_id
      and (p.ordinal, p.page, p.heading, p.start_offset, p.end_offset, p.language)
        is distinct from (r.ordinal, r.page, r.heading, r.start_offset, r.end_offset, spoken);
  delete from public.passages p
    where p.document_id = target.id and p.reading_id <> held.reading_id
      and not exists (select from private.passages_read(target.id, target.current_version_id, 0, total) r where r.id = p.id);
  delete from private.all_passage_terms t where t.passage_id = any (reworded);
  perform private.index_passages(target, reworded, held.reading_id);

  perform private.add_document_words(target.id, -1);
  insert into private.document_words
    with words as (
      select w.word, sum(w.passages) as passages, sum(w.occurrences) as occurrences
      from private.read_words r, unnest(r.words, r.passages, r.occurrences) as w (word, passages, occurrences)
      where r.document_id = target.id group by 1
    ), counted as (
      select w.word, private.term(target.library_id, s.stem) as term, w.passages, w.occurrences
      from words w, unnest(tsvector_to_array(to_tsvector(private.text_configuration(spoken), w.word))) as s (stem)
      union all
      select '', 0, count(*), coalesce(sum(t.length), 0) from private.all_passage_terms t where t.document_id = target.id
    )
    select target.id, target.library_id, array_agg(word order by word, term), array_agg(term order by word, term),
      array_agg(passages order by word, term), array_agg(occurrences order by word, term)
    from counted
  on conflict (document_id) do update set
    words = excluded.words, terms = excluded.terms, passages = excluded.passages, occurrences = excluded.occurrences;
  perform private.add_document_words(target.id, 1);
  if total > 0 then
    insert into private.library_languages values (target.library_id, coalesce(spoken, 'en')) on conflict do nothing;
  end if;

  update public.versions v set
    page_count = (reading ->> 'pages')::integer, mime_type = coalesce(reading ->> 'mime', v.mime_type),
    rendition_path = coalesce(reading ->> 'rendition', v.rendition_path), width = (reading ->> 'width')::integer,
    height = (reading ->> 'height')::integer, maker = coalesce((reading ->> 'maker')::integer, v.maker),
    outline = case when reading ? 'outline' then nullif(reading -> 'outline', 'null') else v.outline end
  where v.id = target.current_version_id;
  update public.documents d set
    state = 'ready', state_message = null, progress = 100, page_count = (reading ->> 'pages')::integer,
    mime_type = coalesce(reading ->> 'mime', d.mime_type), width = (reading ->> 'width')::integer, height = (reading ->> 'height')::integer
  where d.id = target.id;
  -- With its row the run's passages are no longer hidden.
  delete from private.ingestion_runs r where r.document_id = target.id;
  perform private.anchor_comments(target.id);
end
$$;

/* What a document says about itself becomes known before its first passage: a new title would have all passages indexed again.
   A title that is only the file's name is replaced by the one that stands in the document. */
create function private.adopt_facts(document uuid, version uuid, reading jsonb) returns void
  language sql set search_path = ''
as $$
  update public.documents d set
    author = reading ->> 'author', dated = (reading ->> 'dated')::date,
    title = case when private.letters(d.title) in (
        select private.letters(name) from public.versions v, unnest(array[v.file_name, regexp_replace(v.file_name, '\.[^.]*$', '')]) name
        where v.id = version)
      then coalesce(reading ->> 'title', d.title) else d.title end
  where d.id = document
$$;

/* Goes on with storing what a run has read, for about as long as `most_time` says; `model` made the vectors, null leaves them to the database.
   Returns how many passages are left: with 0 the document is ready, and has the new passages instead of the old ones. Null when
   the run has nothing to store any more: it has lost the document, a newer version is there, or the document is in the trash. */
create function public.store_reading(run uuid, version uuid, model text default null, most_time interval default '0.2 seconds')
  returns integer
  language plpgsql security definer set search_path = ''
as $$
declare
  held private.ingestion_runs := private.hold_run(run);
  target public.documents;
  until constant timestamptz := clock_timestamp() + most_time;
  at_once constant integer := 16;
  total constant integer := (held.reading ->> 'count')::integer;
begin
  if held.document_id is null then return null; end if;
  -- What a run keeps is not written ahead: after a crash of the database it is gone.
  if total is distinct from (select count(*) from private.read_passages p where p.document_id = held.document_id)
    or not exists (select from public.documents d
      where d.id = held.document_id and d.current_version_id = version and d.deleted_at is null) then
    perform public.release_run(run);
    return null;
  end if;
  if held.reading_id is null then
    perform private.adopt_facts(held.document_id, version, held.reading);
    held.reading_id := nextval('private.reading_ids');
    held.stored := 0;
  end if;
  select * into target from public.documents d where d.id = held.document_id;
  while held.stored < total loop
    perform private.store_some(target, held, model, held.stored, held.stored + at_once);
    held.stored := least(held.stored + at_once, total);
    exit when clock_timestamp() > until;
  end loop;
  update private.ingestion_runs r set reading_id = held.reading_id, stored = held.stored, attempts = 0
    where r.document_id = held.document_id;
  if held.stored = total then perform private.finish_storing(target, held);
  else
    update public.documents d set state = 'embedding', progress = 90 + 9 * held.stored / total
      where d.id = held.document_id and d.state <> 'ready';
  end if;
  return total - held.stored;
end
$$;

/* Puts a version's passages in place of all that the document had, in one transaction. `model` names the model of the embeddings; a
   passage without one gets the lexical one. `mime` is what the content turned out to be, whatever the upload called it; `rendition`
   the place of its readable copy; width and height an image's, in pixels; `language` the text's (ISO 639-1), null where it is not
   known.
   passages: [{ page, heading, start, end, content, embedding }] in reading order. Returns how many there are, or null when a newer
   version has become current meanwhile, or the document is in the trash: its own run replaces the passages. */
create or replace function public.store_passages(
  version uuid, passages jsonb, model text default null, pages integer default null, mime text default null,
  rendition text default null, width integer default null, height integer default null, language text default null
) returns integer
  language plpgsql security definer set search_path = ''
as $$
declare
  target public.documents;
  held private.ingestion_runs;
begin
  select d.* into target from public.documents d join public.versions v on v.document_id = d.id
    where v.id = version and d.current_version_id = v.id and d.deleted_at is null for no key update of d;
  if not found then return null; end if;
  perform private.discard_stored(target.id);
  delete from private.ingestion_runs r where r.document_id = target.id;
  insert into private.ingestion_runs (document_id, reading_id, reading) values (target.id, nextval('private.reading_ids'),
    jsonb_strip_nulls(jsonb_build_object('count', jsonb_array_length(passages), 'pages', pages, 'mime', mime, 'rendition', rendition,
      'width', width, 'height', height, 'language', language)))
    returning * into held;
  perform private.keep_read_passages(target.id, 0, passages);
  perform private.store_some(target, held, model, 0, jsonb_array_length(passages));
  perform private.finish_storing(target, held);
  return jsonb_array_length(passages);
end
$$;
grant execute on function public.store_reading to service_role;

/* A document is left with a message, and its run ends. One that is read again for better passages keeps those that it has. */
create or replace function private.end_run(document uuid, message text) returns void
  language sql set search_path = ''
as $$
  select private.discard_stored(document);
  update public.documents d set state = 'failed', state_message = message, progress = 0 where d.id = document and d.state <> 'ready';
  delete from private.ingestion_runs r where r.document_id = document;
$$;

/* A new version, and a page that is fetched anew, make useless what was read of the one before. A run that still reads the version
   before has lost the document; the run that fetched a page has made the new version itself. */
create or replace function private.forget_reading() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  if new.current_version_id is distinct from old.current_version_id then
    perform private.discard_stored(new.id);
    update private.ingestion_runs r set reading = null, run = case when r.refetch then r.run end,
        reported_at = case when r.refetch then r.reported_at end
      where r.document_id = new.id;
    delete from private.read_pages p where p.document_id = new.id;
    delete from private.read_passages p where p.document_id = new.id;
  end if;
  return null;
end
$$;
