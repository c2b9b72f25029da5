-- The words of each document are kept as they were counted, so that taking a document out of the index reads none of its texts again;
-- and who indexes a document holds it

/* What a document has added to the words of its library. The word '' stands for every word. */
create table private.document_words (
  document_id uuid primary key references public.documents on delete cascade,
  library_id uuid not null,
  words text[] not null,
  terms integer[] not null,
  passages integer[] not null,
  occurrences bigint[] not null
);
alter table private.document_words enable row level security;

/* The same of a document whose passages are being stored, of those from an ordinal on; their words are not the library's yet. */
create unlogged table private.read_words (
  document_id uuid not null references private.ingestion_runs on delete cascade,
  first integer not null,
  words text[] not null,
  passages integer[] not null,
  occurrences bigint[] not null,
  primary key (document_id, first)
);
alter table private.read_words enable row level security;

-- When a run last took a document of the library (see take_document).
create table private.indexing_turns (
  library_id uuid primary key,
  taken_at timestamptz not null
);
alter table private.indexing_turns enable row level security;

/* Deleting a library locks it and then waits for its documents; indexing locks a document and would then wait for the library, if
   each new row of these tables asked whether the library is there. Whoever holds a document of the library is waited for by the
   deletion, so that nothing is added behind it. Without the question, storing words is faster, too. */
alter table private.words drop constraint words_library_id_fkey;
alter table private.word_changes drop constraint word_changes_library_id_fkey;
alter table private.library_languages drop constraint library_languages_library_id_fkey;
create function private.forget_library() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  delete from private.words where library_id = old.id;
  delete from private.word_changes where library_id = old.id;
  delete from private.library_languages where library_id = old.id;
  delete from private.indexing_turns where library_id = old.id;
  return null;
end
$$;
-- Triggers run in the order of their names: those that delete the library's documents (RI_…) have run before.
create trigger forget_library after delete on public.libraries for each row execute function private.forget_library();

/* Postgres puts the body of a function in the place of its call only if the function has no settings of its own. These are called for
   each word or each text, and name nothing outside pg_catalog and private. */
alter function private.term reset search_path;
alter function private.plain_words reset search_path;
alter function private.text_configuration reset search_path;

/* The words of texts as they are written. */
create function private.words_in(texts text[]) returns table (word text, passages integer, occurrences bigint)
  language sql immutable set search_path = ''
as $$
  select w.lexeme, count(*)::integer, sum(cardinality(w.positions))
  from unnest(texts) as t (content), unnest(to_tsvector('pg_catalog.simple', private.plain_words(t.content))) w
  where char_length(w.lexeme) <= 100 group by 1
$$;

/* Adds (sign 1) a document's words to those of its library, or takes them back (-1). */
create function private.add_document_words(document uuid, sign integer) returns void
  language plpgsql set search_path = ''
as $$
declare
  library uuid;
  changes bigint;
begin
  insert into private.word_changes (library_id, word, term, documents, passages, occurrences)
    select d.library_id, w.word, w.term, sign, sign * w.passages, sign * w.occurrences
    from private.document_words d, unnest(d.words, d.terms, d.passages, d.occurrences) as w (word, term, passages, occurrences)
    where d.document_id = document;
  get diagnostics changes = row_count;
  -- On average once in 20,000 changes, without anybody counting them.
  if random() * 20000 < changes then
    select d.library_id into library from private.document_words d where d.document_id = document;
    perform private.fold_word_changes(library);
  end if;
end
$$;

/* Writes the stems of these passages of a document, hidden with the reading of that number (0: with none). A stem is what a passage is mainly about when it reaches two thirds of the
   most that BM25 gives for a stem (k1 1.6, b 0.75). */
create function private.index_passages(target public.documents, ids uuid[], reading_id integer) returns void
  language plpgsql set search_path = ''
as $$
declare
  average real; -- length of the library's passages
begin
  select sum(v.occurrences)::real / nullif(sum(v.passages), 0) into average
    from private.library_vocabulary v where v.library_id = target.library_id and v.word = '';
  with chosen as materialized (
    select p.id, p.language, p.search from public.passages p where p.id = any (ids)
  ), title_words as (
    select t.language, w.lexeme, cardinality(w.positions) as n
    from (select distinct language from chosen) t,
      unnest(to_tsvector(private.text_configuration(t.language), private.plain_words(target.title))) w
  ), stems as (
    select c.id, w.lexeme, cardinality(array_positions(w.weights, 'B')) as named, cardinality(array_positions(w.weights, 'D')) as n
    from chosen c, unnest(c.search) w
    union all
    select c.id, t.lexeme, t.n, 0 from chosen c join title_words t on t.language is not distinct from c.language
  ), counted as (
    -- A word of both heading and title is one hint, not two.
    select id, private.term(target.library_id, lexeme) as term, least(max(named) + max(n), 255) as n from stems group by 1, 2
  ), measured as (
    select *, sum(n) over (partition by id) as length from counted
  )
  insert into private.all_passage_terms (passage_id, document_id, reading_id, length, terms, counts)
    select id, target.id, index_passages.reading_id, least(max(length), 32767),
      array_agg(term order by term)
        || coalesce(array_agg(~term) filter (where n >= 3.2 * (0.25 + 0.75 * length / coalesce(average, length))), '{}'),
      decode(string_agg(lpad(to_hex(n), 2, '0'), '' order by term), 'hex')
    from measured group by id;
end
$$;

/* Makes a document's passages findable. Holds the document: whoever replaces its passages at this moment is waited for. */
create or replace function private.index_document(document uuid) returns void
  language plpgsql set search_path = ''
as $$
declare
  target public.documents;
begin
  select * into target from public.documents d where d.id = document and d.deleted_at is null for no key update;
  if not found then return; end if;
  perform private.index_passages(target, array(select p.id from public.passages p where p.document_id = document), 0);
  perform private.keep_document_words(target);
  perform private.add_document_words(document, 1);
  insert into private.library_languages
    select distinct target.library_id, coalesce(p.language, 'en') from public.passages p where p.document_id = document
    order by 2
    on conflict do nothing;
end
$$;

-- Counts the words of a document's indexed passages.
create function private.keep_document_words(target public.documents) returns void
  language sql set search_path = ''
as $$
  with indexed as materialized (
    select p.language, t.length, concat_ws(' ', target.title, p.heading, p.content) as content
    from private.passage_terms t join public.passages p on p.id = t.passage_id where t.document_id = target.id
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

drop function private.unindex_document(uuid, text), private.count_words(uuid, text, integer);
create function private.unindex_document(document uuid) returns void
  language plpgsql set search_path = ''
as $$
begin
  perform private.add_document_words(document, -1);
  delete from private.document_words where document_id = document;
  delete from private.all_passage_terms where document_id = document;
end
$$;
/* Deletes what a run has stored and nobody has seen. Storing begins anew with what was read. */
create function private.discard_stored(document uuid) returns void
  language sql set search_path = ''
as $$
  delete from public.passages p using private.ingestion_runs r
    where r.document_id = document and p.document_id = document and p.reading_id = r.reading_id;
  delete from private.read_words w where w.document_id = document;
  update private.ingestion_runs r set reading_id = null, stored = 0 where r.document_id = document and r.reading_id is not null;
$$;
create or replace function private.index_renamed_or_moved() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  perform private.discard_stored(new.id); -- with the old title, or for a document that is in the trash now
  perform private.unindex_document(new.id);
  perform private.index_document(new.id);
  return null;
end
$$;
create or replace function private.unindex_deleted() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  -- With its library gone, the words have gone, too.
  if exists (select from public.libraries l where l.id = old.library_id) then
    perform private.unindex_document(old.id);
  end if;
  return old;
end
$$;

select private.keep_document_words(d) from public.documents d
where exists (select from private.passage_terms t where t.document_id = d.id);
