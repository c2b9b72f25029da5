-- What stands in the fields of a document finds it, as its title does: the values of text fields and the names of chosen options

/* The words of a document's fields, of those that hold where it is. A document without any has no row. */
create table private.field_texts (
  document_id uuid primary key references public.documents on delete cascade,
  library_id uuid not null,
  words text not null
);
create index field_texts_words_idx on private.field_texts using gin (private.title_words(words));

/* Documents whose passages are still found by the words that their fields had before. A change of a few documents is followed at its
   end, one of many in the background. */
create table private.outdated_words (
  document_id uuid primary key references public.documents on delete cascade,
  since timestamptz not null default now()
);
create index outdated_words_since_idx on private.outdated_words (since);
alter table private.field_texts enable row level security;
alter table private.outdated_words enable row level security;

/* Reads the fields of these documents anew. Those of which the words are others than before are found by them soon. At most 4,000
   characters of a document: they are in the index once for each of its passages. */
create function private.keep_field_texts(documents uuid[]) returns void
  language plpgsql security definer set search_path = ''
as $$
begin
  with asked as (
    select d.id, d.library_id, d.collection_id from public.documents d where d.id = any (documents)
  ), places as (
    select p.collection_id, array_agg(a) as around
    from (select distinct a.collection_id from asked a) p, private.collections_around(p.collection_id) a group by 1
  ), texts as (
    select a.id, a.library_id, left(string_agg(coalesce(v.text_value, o.name), ' ' order by f.position, f.id, o.position), 4000) as words
    from asked a
    join places p on p.collection_id = a.collection_id
    join public.field_values v on v.document_id = a.id and v.kind in ('text', 'choice')
    join public.collection_fields f on f.id = v.field_id and f.collection_id = any (p.around)
    left join public.field_options o on o.id = v.option_id
    group by 1, 2
  ), kept as (
    insert into private.field_texts as t (document_id, library_id, words) select id, library_id, words from texts order by id
    on conflict (document_id) do update set words = excluded.words where t.words <> excluded.words
    returning document_id
  ), removed as (
    delete from private.field_texts t
    where t.document_id in (select a.id from asked a) and t.document_id not in (select id from texts)
    returning document_id
  )
  insert into private.outdated_words (document_id)
    select document_id from kept union select document_id from removed order by 1
  on conflict do nothing;
end
$$;

create function private.follow_field_values() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  perform private.keep_field_texts(array(select distinct c.document_id from changed c where c.kind in ('text', 'choice')));
  return null;
end
$$;
create trigger follow_added after insert on public.field_values referencing new table as changed
  for each statement execute function private.follow_field_values();
create trigger follow_changed after update on public.field_values referencing new table as changed
  for each statement execute function private.follow_field_values();
create trigger follow_removed after delete on public.field_values referencing old table as changed
  for each statement execute function private.follow_field_values();

-- While its options are saved, each is called by its id for a moment (save_field).
create function private.follow_renamed_options() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  perform private.keep_field_texts(array(
    select distinct v.document_id
    from renamed n join former f on f.id = n.id and f.name <> n.name
    join public.field_values v on v.option_id = n.id and v.field_id = n.field_id
    where n.name <> n.id::text));
  return null;
end
$$;
create trigger follow_renamed after update on public.field_options referencing old table as former new table as renamed
  for each statement execute function private.follow_renamed_options();

-- Which fields hold depends on the place. Of most documents no field has a value.
create function private.follow_moved_document() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  if exists (select from public.field_values v where v.document_id = new.id) then
    perform private.keep_field_texts(array[new.id]);
  end if;
  return null;
end
$$;
create trigger follow_fields after update of collection_id on public.documents
  for each row when (new.collection_id is distinct from old.collection_id) execute function private.follow_moved_document();
create function private.follow_moved_collection() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  perform private.keep_field_texts(array(
    select distinct v.document_id from public.documents d join public.field_values v on v.document_id = d.id
    where d.collection_id in (select private.collections_within(new.id))));
  return null;
end
$$;
create trigger follow_fields after update of parent_id on public.collections
  for each row when (new.parent_id is distinct from old.parent_id) execute function private.follow_moved_collection();

/* As before, and by the words of the document's fields: each counts once in each passage, and makes none of them longer. */
create or replace function private.index_passages(target public.documents, ids uuid[], reading_id integer) returns void
  language plpgsql set search_path = ''
as $$
declare
  average real; -- length of the library's passages
  fields constant text := (select t.words from private.field_texts t where t.document_id = target.id);
begin
  select sum(v.occurrences)::real / nullif(sum(v.passages), 0) into average
    from private.library_vocabulary v where v.library_id = target.library_id and v.word = '';
  with chosen as materialized (
    select p.id, p.language, p.search from public.passages p where p.id = any (ids)
  ), languages as (
    select distinct language from chosen
  ), title_words as (
    select l.language, w.lexeme, cardinality(w.positions) as n, 0 as named_by_field
    from languages l, unnest(to_tsvector(private.text_configuration(l.language), private.plain_words(target.title))) w
    union all
    select l.language, w.lexeme, 0, 1
    from languages l, unnest(to_tsvector(private.text_configuration(l.language), private.plain_words(fields))) w
    where fields is not null
  ), stems as (
    select c.id, w.lexeme, cardinality(array_positions(w.weights, 'B')) as named, cardinality(array_positions(w.weights, 'D')) as n,
      0 as named_by_field
    from chosen c, unnest(c.search) w
    union all
    select c.id, t.lexeme, t.n, 0, t.named_by_field from chosen c join title_words t on t.language is not distinct from c.language
  ), counted as (
    -- A word of both heading and title is one hint, not two.
    select id, private.term(target.library_id, lexeme) as term, least(max(named) + max(n), 255) as n,
      max(named_by_field) as named_by_field
    from stems group by 1, 2
  ), measured as (
    select id, term, greatest(n, named_by_field) as n, greatest(sum(n) over (partition by id), 1) as length from counted
  )
  insert into private.all_passage_terms (passage_id, document_id, reading_id, length, terms, counts)
    select id, target.id, index_passages.reading_id, least(max(length), 32767),
      array_agg(term order by term)
        || coalesce(array_agg(~term) filter (where n >= 3.2 * (0.25 + 0.75 * length / coalesce(average, length))), '{}'),
      decode(string_agg(lpad(to_hex(n), 2, '0'), '' order by term), 'hex')
    from measured group by id;
end
$$;

create or replace function private.keep_document_words(target public.documents) returns void
  language sql set search_path = ''
as $$
  with indexed as materialized (
    select p.language, t.length, concat_ws(' ', target.title, f.words, p.heading, p.content) as content
    from private.passage_terms t join public.passages p on p.id = t.passage_id
      left join private.field_texts f on f.document_id = target.id
    where t.document_id = target.id
  ), words as (
    select i.language, w.* from (select language, array_agg(content) as texts from indexed group by 1) i, private.words_in(i.texts) w
  ), counted as (
    select w.word, private.term(target.library_id, s.stem) as term, sum(w.passages) as passages, sum(w.occurrences) as occurrences
    from words w, unnest(tsvector_to_array(to_tsvector(private.text_configuration(w.language), w.word))) as s (stem) group by 1, 2
    union all
    select '', 0, count(*), coalesce(sum(length), 0) from indexed
  )
  insert into private.document_words
    select target.id, target.library_id, array_agg(word order by word, term), array_agg(term order by word, term),
      array_agg(passages order by word, term), array_agg(occurrences order by word, term)
    from counted
  on conflict (document_id) do update set
    words = excluded.words, terms = excluded.terms, passages = excluded.passages, occurrences = excluded.occurrences
$$;

create or replace function private.store_some(target public.documents, held private.ingestion_runs, model text, first integer, behind integer)
  returns void
  language plpgsql set search_path = ''
as $$
declare
  spoken constant text := held.reading ->> 'language';
  fields constant text := (select t.words from private.field_texts t where t.document_id = target.id);
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
      select concat_ws(' ', target.title, fields, r.heading, r.content)
      from private.passages_read(target.id, target.current_version_id, first, behind) r)) w;
end
$$;

create or replace function private.has_literally(passage uuid, literal text) returns boolean
  language sql stable set search_path = ''
as $$
  select (p.search || to_tsvector(c.configuration, private.plain_words(concat_ws(' ', d.title, t.words))))
    @@ websearch_to_tsquery(c.configuration, literal)
  from public.passages p join public.documents d on d.id = p.document_id
    left join private.field_texts t on t.document_id = p.document_id,
    private.text_configuration(p.language) as c (configuration)
  where p.id = passage
$$;

/* Has an outdated document found by the words that its title and its fields have now. */
create function private.renew_words(document uuid) returns void
  language plpgsql security definer set search_path = ''
as $$
begin
  -- Whoever replaces its passages at this moment is waited for.
  perform from public.documents d where d.id = document for no key update;
  delete from private.outdated_words o where o.document_id = document;
  -- Somebody else may have done it meanwhile.
  if not found or not exists (select from public.passages p where p.document_id = document) then return; end if;
  perform private.discard_stored(document); -- it has the words of before
  perform private.unindex_document(document);
  perform private.index_document(document);
end
$$;

/* At the end of a change: a hundred passages take less than a tenth of a second. What is more than that waits for the background. */
create function private.renew_few_words() returns trigger
  language plpgsql security definer set search_path = ''
as $$
declare
  passages integer := (select count(*) from (select from public.passages p where p.document_id = new.document_id limit 101) p);
begin
  passages := passages + coalesce(nullif(current_setting('carrel.passages_renewed', true), ''), '0')::integer;
  perform set_config('carrel.passages_renewed', passages::text, true);
  if passages <= 100 then perform private.renew_words(new.document_id); end if;
  return null;
end
$$;
create constraint trigger renew_few_words after insert on private.outdated_words
  deferrable initially deferred for each row execute function private.renew_few_words();

/* Goes on with what waits, for about as long as `most_time` says. Whoever holds a document keeps it from nobody else. */
create function private.renew_waiting_words(most_time interval default '2 seconds') returns void
  language plpgsql security definer set search_path = ''
as $$
declare
  until constant timestamptz := clock_timestamp() + most_time;
  next_document uuid;
begin
  loop
    select o.document_id into next_document from private.outdated_words o join public.documents d on d.id = o.document_id
      order by o.since limit 1 for no key update of d skip locked;
    exit when next_document is null;
    perform private.renew_words(next_document);
    exit when clock_timestamp() > until;
  end loop;
end
$$;

/* As before, and the documents of which the fields have every word of the query, or words that begin like them. */
create or replace function public.find_documents(library uuid, query text, max_results integer default 20, collection uuid default null)
  returns table (document_id uuid, title text, kind public.document_kind, mime_type text, collection_id uuid)
  language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  wanted constant text := lower(trim(left(query, 300)));
  pattern constant text := '%' || regexp_replace(wanted, '([\\%_])', '\\\1', 'g') || '%';
  most constant integer := least(greatest(max_results, 1), 100);
  least_alike constant real := 0.4;
  is_member constant boolean := library in (select private.library_ids()); -- or else a guest
  words constant text[] := array(select word from regexp_split_to_table(wanted, '[^[:alnum:]]+') word where word <> '');
  prefixes constant tsquery := (select to_tsquery('pg_catalog.simple', string_agg(word || ':*', ' & ')) from unnest(words) word);
  places uuid[]; -- null: everywhere
  by_field uuid[];
begin
  if wanted = '' or library not in (select private.library_ids('guest')) then return; end if;

  if collection is not null then places := array(select private.collections_within(collection)); end if;
  by_field := array(
    select t.document_id from private.field_texts t where t.library_id = library and private.title_words(t.words) @@ prefixes);

  return query
    select d.id, d.title, d.kind, d.mime_type, d.collection_id from public.documents d
    where d.library_id = library and d.deleted_at is null
      and (private.title_words(d.title) @@ prefixes or d.title ilike pattern or d.id = any (by_field))
      and (is_member or d.collection_id in (select private.granted_collections()))
      and (places is null or d.collection_id = any (places))
    order by lower(d.title) = wanted desc, starts_with(lower(d.title), wanted) desc,
      coalesce(private.title_words(d.title) @@ prefixes, false) desc, d.updated_at desc, d.id
    limit most;
  if found then return; end if;

  -- Two letters in the wrong order leave a word of six with less than half of its letter triples.
  perform set_config('pg_trgm.word_similarity_threshold', least_alike::text, true);
  return query
    select d.id, d.title, d.kind, d.mime_type, d.collection_id
    from public.documents d, lateral (
      select avg(extensions.word_similarity(word, d.title)) as likeness from unnest(words) word
    ) spelling
    where d.library_id = library and d.deleted_at is null
      and d.title operator(extensions.%>) any (words) and likeness >= least_alike
      and (is_member or d.collection_id in (select private.granted_collections()))
      and (places is null or d.collection_id = any (places))
    order by likeness desc, d.updated_at desc, d.id
    limit most;
end
$$;

-- What the fields have already.
select private.keep_field_texts(array(select distinct v.document_id from public.field_values v));

do $$
begin
  if exists (select from pg_available_extensions where name = 'pg_cron') then
    perform cron.schedule('index', '10 seconds', 'select private.tend_indexing(), private.renew_waiting_words()');
  end if;
end
$$;
