-- Each library's words and the passages that contain them, for ranking (BM25) and typo correction.

/* Returns a stem's number, a quarter of a word's size. It depends on the library, so that a search reads only its own, and on the language,
   because rarity does ("to" is rare in Spanish). md5 is the same on every version and machine. */
create function private.term(library uuid, language text, stem text) returns integer
  language sql immutable parallel safe
as $$ select ('x' || left(md5(library::text || coalesce(language, 'en') || ':' || stem), 8))::bit(32)::integer $$;

/* The vocabulary: words in lower case with stem, documents, passages and occurrences. The word '' is a stem's total; with term 0, that of
   all words (all passages and their length); with a language's empty stem, that of the language. */
-- No foreign keys to libraries, which would deadlock: deleting a library locks it and waits for documents, while indexing locks a document
-- and would wait for the library. forget_library deletes the rows.
create table private.words (
  library_id uuid not null,
  word text collate "C" not null,
  term integer not null,
  documents integer not null,
  passages integer not null,
  occurrences bigint not null,
  primary key (library_id, word, term)
);

/* Changes to `words`, append-only: updating the rows of frequent words would make runs wait for each other. Readers add up both tables. */
create table private.word_changes (
  library_id uuid not null,
  word text collate "C" not null,
  term integer not null,
  documents integer not null,
  passages integer not null,
  occurrences bigint not null
);

create index word_changes_word_idx on private.word_changes (library_id, word, term);

-- The languages of a library's passages (English for unknown); queries are stemmed in each.
create table private.library_languages (
  library_id uuid,
  language text,
  primary key (library_id, language)
);

-- The library's word counts, including pending changes.
create view private.library_vocabulary with (security_invoker) as
  select library_id, word, term, documents, passages, occurrences from private.words
  union all
  select library_id, word, term, documents, passages, occurrences from private.word_changes;

-- Not for guests, who would learn words of hidden documents. An array takes half the time of `in (select …)` for this many rows.
grant select on private.words, private.word_changes, private.library_vocabulary to authenticated;
create policy "members see the words of their libraries" on private.words for select to authenticated
  using (library_id = any (array(select private.library_ids())));
create policy "members see changes of the words of their libraries" on private.word_changes for select to authenticated
  using (library_id = any (array(select private.library_ids())));

/* Adds pending changes to the words. One transaction at a time per library; others skip, and their changes wait for the next. */
create function private.fold_word_changes(library uuid) returns void
  language plpgsql set search_path = ''
as $$
begin
  if not pg_try_advisory_xact_lock(hashtextextended('fold_word_changes ' || library, 0)) then return; end if;
  with taken as (
    delete from private.word_changes where library_id = library returning *
  )
  insert into private.words as w
    select library_id, word, term, sum(documents), sum(passages), sum(occurrences) from taken group by 1, 2, 3 order by 2, 3
    on conflict (library_id, word, term) do update set documents = w.documents + excluded.documents,
      passages = w.passages + excluded.passages, occurrences = w.occurrences + excluded.occurrences;
  delete from private.words where library_id = library and passages <= 0;
end
$$;

/* Makes a document's passages searchable. Locks the document, and so waits for anyone replacing its passages. */
create function private.index_document(document uuid) returns void
  language plpgsql set search_path = ''
as $$
declare
  target public.documents;
begin
  select * into target from public.documents d where d.id = document and d.deleted_at is null for no key update;
  if not found then return; end if;
  perform private.index_passages(target, array(select p.id from public.passages p where p.document_id = document), 0);
  perform private.store_document_words(target);
  perform private.add_document_words(array[document], 1);
  insert into private.library_languages
    select distinct target.library_id, coalesce(p.language, 'en') from public.passages p where p.document_id = document
    order by 2
    on conflict do nothing;
end
$$;

/* Updates a document's index after its title or fields change; in the trash, drops it until the document is restored. */
create function private.index_again(document uuid) returns void
  language sql set search_path = ''
as $$
  select private.discard_stored(document); -- it has the old words
  select private.unindex_document(document);
  select private.index_document(document);
$$;

create function private.unindex_deleted(document public.documents) returns void
  language plpgsql set search_path = ''
as $$
begin
  -- If the library is deleted, so are its words.
  if exists (select from public.libraries l where l.id = document.library_id) then
    perform private.unindex_document(document.id);
  end if;
end
$$;

/* Returns a question's words with their weight in this library, for Ask: rare ones weigh more, unknown ones most. Guests get numbers from
   the documents they see.
   Why a definer: guests can't read the word index. */
create function public.weigh_words(library uuid, query text) returns table (word text, weight real)
  language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  is_member constant boolean := library in (select private.library_ids());
  included uuid[];
  passage_count double precision;
begin
  if library not in (select private.library_ids('guest')) then return; end if;
  included := private.searched_documents(library, '{}', is_member);
  if is_member then
    select sum(v.passages) into passage_count from private.library_vocabulary v where v.library_id = library and v.word = '' and v.term = 0;
  else
    select count(*) into passage_count from private.passage_terms t where t.document_id = any (included);
  end if;
  return query
    select case w.word when private.plain_words(lower(w.typed)) then w.typed else w.word end,
      private.word_weight(w.passages, coalesce(passage_count, 0))::real
    from private.query_words(library, left(coalesce(query, ''), 1000), '{}', included, coalesce(passage_count, 0), true) w
    where not w.is_extra;
end
$$;
grant execute on function public.weigh_words to authenticated;

/* Stems of a passage, its heading and title. `counts` has a byte of occurrences each. At the end of `terms` are bitwise complements of its
   main stems (see index_document), where a search for frequent words starts. Without trashed documents. */
create table private.all_passage_terms (
  passage_id uuid constraint passage_terms_pkey primary key constraint passage_terms_passage_id_fkey references public.passages on delete cascade,
  document_id uuid not null,
  length smallint not null, -- the sum of counts
  terms integer[] not null,
  counts bytea not null,
  reading_id integer not null default 0
);

create index passage_terms_document_id_idx on private.all_passage_terms (document_id);
-- Without the pending list, which every search would have to scan.
create index passage_terms_terms_idx on private.all_passage_terms using gin (terms) with (fastupdate = off);

-- Those of trashed documents, for when they are restored.
create table private.trashed_passage_terms (
  like private.all_passage_terms,
  primary key (passage_id),
  foreign key (passage_id) references public.passages on delete cascade
);
create index trashed_passage_terms_document_id_idx on private.trashed_passage_terms (document_id);

-- Search starts from this view, so hidden passages are excluded here.
create view private.passage_terms as
  select passage_id, document_id, length, terms, counts from private.all_passage_terms
  where reading_id <> all (array(select r.reading_id from private.indexing_runs r where r.reading_id is not null));

-- What a document has added to its library's words.
create table private.document_words (
  document_id uuid primary key references public.documents on delete cascade,
  library_id uuid not null,
  words text[] not null,
  terms integer[] not null,
  passages integer[] not null,
  occurrences bigint[] not null,
  is_counted boolean not null default false -- in the library's words; see add_document_words
);

create function private.forget_library(library uuid) returns void
  language sql set search_path = ''
as $$
  delete from private.words where library_id = library;
  delete from private.word_changes where library_id = library;
  delete from private.library_languages where library_id = library;
  delete from private.indexing_turns where library_id = library
$$;

/* Counts the unstemmed words of texts. */
create function private.words_in(texts text[]) returns table (word text, passages integer, occurrences bigint)
  language sql immutable set search_path = ''
as $$
  select w.lexeme, count(*)::integer, sum(cardinality(w.positions))
  from unnest(texts) as t (content), unnest(to_tsvector('pg_catalog.simple', private.in_pairs(private.plain_words(t.content)))) w
  where char_length(w.lexeme) <= 100 group by 1
$$;

/* Adds documents' words to their library's (sign 1), or subtracts them (-1), unless that is done already. */
create function private.add_document_words(documents uuid[], sign integer) returns void
  language plpgsql set search_path = ''
as $$
declare
  library uuid;
  changes bigint;
begin
  with counted as (
    update private.document_words w set is_counted = sign > 0
    where w.document_id = any (documents) and w.is_counted <> (sign > 0) returning *
  )
  insert into private.word_changes (library_id, word, term, documents, passages, occurrences)
    select c.library_id, w.word, w.term, sign * count(*), sign * sum(w.passages), sign * sum(w.occurrences)
    from counted c, unnest(c.words, c.terms, c.passages, c.occurrences) as w (word, term, passages, occurrences) group by 1, 2, 3;
  get diagnostics changes = row_count;
  -- On average once per 20,000 changes, without counting them.
  if random() * 20000 < changes then
    for library in select distinct w.library_id from private.document_words w where w.document_id = any (documents) loop
      perform private.fold_word_changes(library);
    end loop;
  end if;
end
$$;

/* Writes passages' stems, hidden under a reading's number (0: visible). A main stem has two thirds of the maximum weight in search. Words
   of fields count once per passage and don't add to its length. */
create function private.index_passages(target public.documents, ids uuid[], reading_id integer) returns void
  language plpgsql set search_path = ''
as $$
declare
  average real; -- length of the library's passages
  fields constant text := (select t.words from private.field_texts t where t.document_id = target.id);
begin
  select sum(v.occurrences)::real / nullif(sum(v.passages), 0) into average
    from private.library_vocabulary v where v.library_id = target.library_id and v.word = '' and v.term = 0;
  with chosen as materialized (
    select p.id, p.language, p.search from public.passages p where p.id = any (ids)
  ), languages as (
    select distinct language from chosen
  ), title_words as (
    select l.language, w.lexeme, cardinality(w.positions) as n, 0 as named_by_field
    from languages l, unnest(private.stems_in(private.text_configuration(l.language), target.title)) w
    union all
    select l.language, w.lexeme, 0, 1
    from languages l, unnest(private.stems_in(private.text_configuration(l.language), fields)) w
    where fields is not null
  ), stems as (
    select c.id, c.language, w.lexeme, cardinality(array_positions(w.weights, 'B')) as named, cardinality(array_positions(w.weights, 'D')) as n,
      0 as named_by_field
    from chosen c, unnest(c.search) w
    union all
    select c.id, c.language, t.lexeme, t.n, 0, t.named_by_field from chosen c join title_words t on t.language is not distinct from c.language
  ), counted as (
    -- A word in both heading and title counts once.
    select id, private.term(target.library_id, language, lexeme) as term, least(max(named) + max(n), 255) as n,
      max(named_by_field) as named_by_field
    from stems group by 1, 2
  ), measured as (
    select id, term, greatest(n, named_by_field) as n, greatest(sum(n) over (partition by id), 1) as length from counted
  )
  insert into private.all_passage_terms (passage_id, document_id, reading_id, length, terms, counts)
    select id, target.id, index_passages.reading_id, least(max(length), 32767),
      array_agg(term order by term)
        || coalesce(array_agg(~term) filter (where n >= 2 * private.bm25_k(length, coalesce(average, length))), '{}'),
      decode(string_agg(lpad(to_hex(n), 2, '0'), '' order by term), 'hex')
    from measured group by id;
end
$$;

/* Counts each stem's passages and occurrences in a document; under 0, passages and their length; under a language's empty stem, those in
   it.
   reading_id: a reading whose hidden passages count as well, or 0. */
create function private.stem_counts(document uuid, reading_id integer) returns table (term integer, passages bigint, occurrences bigint)
  language sql stable set search_path = ''
as $$
  with own as materialized (
    select t.passage_id, t.length, t.terms, t.counts from private.all_passage_terms t
    where t.document_id = document
      and (t.reading_id = stem_counts.reading_id or t.reading_id <> all (array(select private.unfinished_readings())))
  )
  select 0, count(*), coalesce(sum(length), 0) from own
  union all
  select private.term(p.library_id, p.language, ''), count(*), sum(o.length)
  from own o join public.passages p on p.id = o.passage_id group by 1
  union all
  select s.term, count(*), sum(get_byte(s.counts, s.place)) from (
    select counts, unnest(terms[:octet_length(counts)]) as term, generate_series(0, octet_length(counts) - 1) as place from own) s
  group by s.term
$$;

create function private.store_document_words(target public.documents) returns void
  language sql set search_path = ''
as $$
  with indexed as materialized (
    select p.language, concat_ws(' ', target.title, f.words, p.heading, p.content) as content
    from private.passage_terms t join public.passages p on p.id = t.passage_id
      left join private.field_texts f on f.document_id = target.id
    where t.document_id = target.id
  ), words as (
    select i.language, private.text_configuration(i.language) as configuration, w.*
    from (select language, array_agg(content) as texts from indexed group by 1) i, private.words_in(i.texts) w
  ), counted as (
    select w.word, private.term(target.library_id, w.language, s.stem) as term, sum(w.passages) as passages, sum(w.occurrences) as occurrences
    from words w, unnest(private.stems_of_word(w.configuration, w.word)) as s (stem) group by 1, 2
    union all
    select '', c.term, c.passages, c.occurrences from private.stem_counts(target.id, 0) c
  )
  insert into private.document_words
    select target.id, target.library_id, array_agg(word order by word, term), array_agg(term order by word, term),
      array_agg(passages order by word, term), array_agg(occurrences order by word, term)
    from counted
  on conflict (document_id) do update set
    words = excluded.words, terms = excluded.terms, passages = excluded.passages, occurrences = excluded.occurrences
$$;

create function private.unindex_document(document uuid) returns void
  language plpgsql set search_path = ''
as $$
begin
  perform private.add_document_words(array[document], -1);
  delete from private.document_words where document_id = document;
  delete from private.all_passage_terms where document_id = document;
  delete from private.trashed_passage_terms where document_id = document;
end
$$;

/* Takes trashed documents out of the index and puts restored ones back. Their words are kept, because indexing takes about twenty times as
   long; documents without any, which changed in the trash, are indexed.
   Why a definer: users can't write the index. */
create function private.index_trashed_or_restored() returns trigger
  language plpgsql security definer set search_path = ''
as $$
declare
  trashed constant uuid[] := array(
    select n.id from after n join before o using (id) where n.deleted_at is not null and o.deleted_at is null);
  restored constant uuid[] := array(
    select n.id from after n join before o using (id) where n.deleted_at is null and o.deleted_at is not null);
begin
  if trashed <> '{}' then
    perform private.discard_stored(r.document_id) from private.indexing_runs r where r.document_id = any (trashed);
    perform private.add_document_words(trashed, -1);
    with taken as (delete from private.all_passage_terms t where t.document_id = any (trashed) returning *)
    insert into private.trashed_passage_terms select * from taken;
  end if;
  if restored <> '{}' then
    with taken as (delete from private.trashed_passage_terms t where t.document_id = any (restored) returning *)
    insert into private.all_passage_terms select * from taken;
    perform private.add_document_words(restored, 1);
    perform private.index_document(r.document) from unnest(restored) as r (document)
      where exists (select from public.passages p where p.document_id = r.document)
        and not exists (select from private.document_words w where w.document_id = r.document);
  end if;
  return null;
end
$$;
create trigger index_trashed_or_restored after update on public.documents referencing old table as before new table as after
  for each statement execute function private.index_trashed_or_restored();
