-- Storing what was read: in small transactions, hidden until all of it is stored.

/* The storing that made a passage, 0 for a single transaction. Passages of an unfinished one are hidden until its run's row is deleted. */
create sequence private.reading_ids as integer;

/* The words of passages being stored, from an ordinal on; not yet part of the library's words. */
create unlogged table private.read_words (
  document_id uuid not null references private.indexing_runs on delete cascade,
  first integer not null,
  words text[] not null,
  passages integer[] not null,
  occurrences bigint[] not null,
  primary key (document_id, first)
);

/* Continues storing for about `most_time`; `model` made the vectors, if any. Returns the passages left; at 0 the new ones replace the old.
   Null if there is nothing to store: the run lost the document, a newer version exists, or it's in the trash. A run without vectors to
   make completes its reading in the same call (see complete_reading), which saves a tenth of the time of a small document. */
create function public.store_reading(run uuid, version uuid, model text default null, most_time interval default '0.2 seconds',
    reading jsonb default null, first integer default 0, passages jsonb default '[]')
  returns integer
  language plpgsql set search_path = ''
as $$
declare
  held private.indexing_runs := case when reading is null or public.complete_reading(run, reading, first, passages) then private.hold_run(run) end;
  target public.documents;
  until constant timestamptz := clock_timestamp() + most_time;
  at_once constant integer := 16;
  total constant integer := (held.reading ->> 'count')::integer;
begin
  if held.document_id is null then return null; end if;
  -- Run data is unlogged: after a crash it is lost and read again.
  if total is distinct from (select count(*) from private.read_passages p where p.document_id = held.document_id) then
    perform private.discard_stored(held.document_id);
    update private.indexing_runs r set reading = null where r.document_id = held.document_id;
    held.reading := null;
  end if;
  if held.reading is null or not exists (select from public.documents d
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
  update private.indexing_runs r set reading_id = held.reading_id, stored = held.stored, attempts = 0
    where r.document_id = held.document_id;
  if held.stored = total then perform private.finish_storing(target, held);
  else
    update public.documents d set state = 'embedding', progress = 90 + 9 * held.stored / total
      where d.id = held.document_id and d.state <> 'ready';
  end if;
  return total - held.stored;
end
$$;
grant execute on function public.store_reading to service_role;

/* Applies metadata before the first passage, because a later title would reindex all. Replaces a title that is only the file name, and
   keeps an existing reference. */
create function private.adopt_facts(document uuid, version uuid, reading jsonb) returns void
  language sql set search_path = ''
as $$
  update public.documents d set
    author = case when d.reference ? 'author' then d.author else reading ->> 'author' end,
    dated = case when d.reference ? 'issued' then d.dated else (reading ->> 'dated')::date end,
    reference = coalesce(d.reference, nullif(reading -> 'reference', 'null')),
    title = case when private.letters(d.title) in (
        select private.letters(name) from public.versions v, unnest(array[v.file_name, regexp_replace(v.file_name, '\.[^.]*$', '')]) name
        where v.id = version)
      then coalesce(reading ->> 'title', d.title) else d.title end
  where d.id = document
$$;

/* Stores some of a run's passages, hidden. One that an earlier reading made stays until the end; its new vector fits both readings. */
create function private.store_some(target public.documents, held private.indexing_runs, model text, first integer, behind integer)
  returns void
  language plpgsql set search_path = ''
as $$
declare
  spoken constant text := held.reading ->> 'language';
  fields constant text := (select t.words from private.field_texts t where t.document_id = target.id);
begin
  if model is null then
    update private.indexing i set is_behind = true where i.model is not null and not i.is_behind
      and exists (select from public.libraries l where l.id = target.library_id and l.allows_models);
  end if;
  insert into public.passages (
    id, library_id, document_id, version_id, reading_id, ordinal, page, heading, start_offset, end_offset, content, content_hash,
    embedding, embedding_model, language)
  select r.id, target.library_id, target.id, target.current_version_id, held.reading_id, r.ordinal, r.page, r.heading, r.start_offset,
    r.end_offset, r.content, r.hash,
    coalesce(m.embedding, private.lexical_embedding(coalesce(r.heading || E'\n', '') || r.content)), m.model, spoken
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
      select concat_ws(' ', target.title, fields, r.heading, r.content)
      from private.passages_read(target.id, target.current_version_id, first, behind) r)) w;
end
$$;

/* Replaces all of a document's passages by those that a run has stored. */
create function private.finish_storing(target public.documents, held private.indexing_runs) returns void
  language plpgsql set search_path = ''
as $$
declare
  reading constant jsonb := held.reading;
  total constant integer := (reading ->> 'count')::integer;
  spoken constant text := reading ->> 'language';
  configuration constant regconfig := private.text_configuration(spoken);
  reworded uuid[]; -- kept passages whose indexed words have changed
begin
  if exists (select from public.passages p where p.document_id = target.id and p.reading_id <> held.reading_id) then
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
  end if;

  perform private.add_document_words(array[target.id], -1);
  insert into private.document_words
    with words as (
      select w.word, sum(w.passages) as passages, sum(w.occurrences) as occurrences
      from private.read_words r, unnest(r.words, r.passages, r.occurrences) as w (word, passages, occurrences)
      where r.document_id = target.id group by 1
    ), counted as (
      select w.word, private.term(target.library_id, spoken, s.stem) as term, w.passages, w.occurrences
      from words w, unnest(private.stems_of_word(configuration, w.word)) as s (stem)
      union all
      select '', c.term, c.passages, c.occurrences from private.stem_counts(target.id, held.reading_id) c
    )
    select target.id, target.library_id, array_agg(word order by word, term), array_agg(term order by word, term),
      array_agg(passages order by word, term), array_agg(occurrences order by word, term)
    from counted
  on conflict (document_id) do update set
    words = excluded.words, terms = excluded.terms, passages = excluded.passages, occurrences = excluded.occurrences;
  perform private.add_document_words(array[target.id], 1);
  if total > 0 then
    insert into private.library_languages values (target.library_id, coalesce(spoken, 'en')) on conflict do nothing;
  end if;

  update public.versions v set
    page_count = (reading ->> 'pages')::integer, mime_type = coalesce(reading ->> 'mime', v.mime_type),
    rendition_path = coalesce(reading ->> 'rendition', v.rendition_path), width = (reading ->> 'width')::integer,
    height = (reading ->> 'height')::integer, indexer_version = coalesce((reading ->> 'indexer_version')::integer, v.indexer_version),
    outline = case when reading ? 'outline' then nullif(reading -> 'outline', 'null') else v.outline end
  where v.id = target.current_version_id;
  update public.documents d set
    state = 'ready', problem = null, progress = 100, page_count = (reading ->> 'pages')::integer,
    mime_type = coalesce(reading ->> 'mime', d.mime_type), width = (reading ->> 'width')::integer, height = (reading ->> 'height')::integer,
    excerpt = private.excerpt_of(d.id)
  where d.id = target.id;
  -- Deleting its row reveals the run's passages.
  delete from private.indexing_runs r where r.document_id = target.id;
  perform private.anchor_comments(target.id);
end
$$;

/* Deletes a run's hidden passages, so that storing starts over from what was read. */
create function private.discard_stored(document uuid) returns void
  language sql set search_path = ''
as $$
  delete from public.passages p using private.indexing_runs r
    where r.document_id = document and p.document_id = document and p.reading_id = r.reading_id;
  delete from private.read_words w where w.document_id = document;
  update private.indexing_runs r set reading_id = null, stored = 0 where r.document_id = document and r.reading_id is not null;
$$;

/* Replaces a document's passages: [{ page, heading, start, end, content, embedding }] in reading order, lexical embeddings by default.
   `mime` is the detected type, `rendition` the readable copy's path, width and height an image's in pixels. Returns their number; null if
   the document is in the trash or has a newer version, which has its own run. */
create function public.replace_passages(
  version uuid, passages jsonb, model text default null, pages integer default null, mime text default null,
  rendition text default null, width integer default null, height integer default null, language text default null
) returns integer
  language plpgsql set search_path = ''
as $$
declare
  target public.documents;
  held private.indexing_runs;
begin
  select d.* into target from public.documents d join public.versions v on v.document_id = d.id
    where v.id = version and d.current_version_id = v.id and d.deleted_at is null for no key update of d;
  if not found then return null; end if;
  perform private.discard_stored(target.id);
  delete from private.indexing_runs r where r.document_id = target.id;
  insert into private.indexing_runs (document_id, reading_id, reading) values (target.id, nextval('private.reading_ids'),
    jsonb_strip_nulls(jsonb_build_object('count', jsonb_array_length(passages), 'pages', pages, 'mime', mime, 'rendition', rendition,
      'width', width, 'height', height, 'language', language)))
    returning * into held;
  perform private.store_read_passages(target.id, 0, passages);
  perform private.store_some(target, held, model, 0, jsonb_array_length(passages));
  perform private.finish_storing(target, held);
  return jsonb_array_length(passages);
end
$$;
grant execute on function public.replace_passages to service_role;

/* Returns the start of a document's first passage, without Markdown syntax: at most 240 characters, cut between words if possible. */
create function private.excerpt_of(document uuid) returns text
  language sql stable set search_path = ''
as $$
  select coalesce((
    select case when char_length(words) <= 240 then words else regexp_replace(left(words, 239), '\s+\S*$', '') || '…' end
    from (
      select trim(regexp_replace(p.content, '\s+', ' ', 'g')) as words
      from public.passages p where p.document_id = document order by p.ordinal limit 1
    ) first
  ), '')
$$;
