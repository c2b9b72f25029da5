-- The words of each library: which passage has which words how often, and in how many passages each word occurs. Search ranks by
-- these numbers (BM25), corrects typing errors with these words, and reads neither texts nor vectors for it

-- ISO 639-1; null is unknown. It decides how the words are stemmed.
alter table public.passages add column language text check (language ~ '^[a-z]{2}$');

-- The configuration that stems a language. English for an unknown one: most words of others it leaves as they are.
create function private.text_configuration(language text) returns regconfig
  language sql immutable parallel safe set search_path = ''
as $$
  select case language
    when 'ar' then 'pg_catalog.arabic' when 'ca' then 'pg_catalog.catalan' when 'da' then 'pg_catalog.danish'
    when 'de' then 'pg_catalog.german' when 'el' then 'pg_catalog.greek' when 'en' then 'pg_catalog.english'
    when 'es' then 'pg_catalog.spanish' when 'eu' then 'pg_catalog.basque' when 'fi' then 'pg_catalog.finnish'
    when 'fr' then 'pg_catalog.french' when 'ga' then 'pg_catalog.irish' when 'hi' then 'pg_catalog.hindi'
    when 'hu' then 'pg_catalog.hungarian' when 'hy' then 'pg_catalog.armenian' when 'id' then 'pg_catalog.indonesian'
    when 'it' then 'pg_catalog.italian' when 'lt' then 'pg_catalog.lithuanian' when 'ne' then 'pg_catalog.nepali'
    when 'nl' then 'pg_catalog.dutch' when 'no' then 'pg_catalog.norwegian' when 'nb' then 'pg_catalog.norwegian'
    when 'nn' then 'pg_catalog.norwegian' when 'pt' then 'pg_catalog.portuguese' when 'ro' then 'pg_catalog.romanian'
    when 'ru' then 'pg_catalog.russian' when 'sr' then 'pg_catalog.serbian' when 'sv' then 'pg_catalog.swedish'
    when 'ta' then 'pg_catalog.tamil' when 'tr' then 'pg_catalog.turkish' when 'yi' then 'pg_catalog.yiddish'
    else case when language is null then 'pg_catalog.english' else 'pg_catalog.simple' end
  end::regconfig
$$;

-- One letter for one letter, so that positions stay the same. Texts without any other letter are not looked through.
create function private.without_accents(content text) returns text
  language sql immutable strict parallel safe set search_path = ''
as $$
  select case when octet_length(content) = char_length(content) then content else
    translate(content, 'àáâãäåçèéêëìíîïñòóôõöøùúûüýÿÀÁÂÃÄÅÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜÝ', 'aaaaaaceeeeiiiinoooooouuuuyyAAAAAACEEEEIIIINOOOOOOUUUUY') end
$$;
/* A text with nothing but letters, digits and spaces, and without accents, so that "café", "cafe" and "/var/cafe" have a word in
   common. As long as the text itself. */
create function private.plain_words(content text) returns text
  language sql immutable strict parallel safe set search_path = ''
as $$ select regexp_replace(private.without_accents(content), '[^[:alnum:] ]', ' ', 'g') $$;

drop index public.passages_search_idx;
alter table public.passages drop column search;
create function private.passage_vector(language text, heading text, content text) returns tsvector
  language sql immutable parallel safe set search_path = ''
as $$
  select setweight(to_tsvector(private.text_configuration(language), private.plain_words(coalesce(heading, ''))), 'B')
    || to_tsvector(private.text_configuration(language), private.plain_words(content))
$$;
-- Without an index: candidates come from passage_terms; this says where in them the words of a phrase stand.
alter table public.passages add column search tsvector not null
  generated always as (private.passage_vector(language, heading, content)) stored;

/* A stem's number within a library. Numbers take a quarter of the space of words, and the library is part of them: a search
   reads only what its own library has. md5: its result is the same on every version and machine. */
create function private.term(library uuid, stem text) returns integer
  language sql immutable strict parallel safe set search_path = ''
as $$ select ('x' || left(md5(library || stem), 8))::bit(32)::integer $$;

/* The stems of a passage, of its heading and its document's title. `counts` has one byte for each: occurrences, those in heading
   or title included. Behind them in `terms` come the bitwise complements of those stems that the passage is mainly about (see
   index_document): a search for frequent words begins there. Only documents outside the trash are in it. */
create table private.passage_terms (
  passage_id uuid primary key references public.passages on delete cascade,
  document_id uuid not null,
  length smallint not null, -- the sum of counts
  terms integer[] not null,
  counts bytea not null
);
create index passage_terms_document_id_idx on private.passage_terms (document_id);
-- Without the list of pending entries, which every search would have to read.
create index passage_terms_terms_idx on private.passage_terms using gin (terms) with (fastupdate = off);

/* The vocabulary: words as they are written (lower case) with their stem, and how many documents and passages have them, how
   often. The word '' stands for every word: all passages, and the sum of their lengths. */
create table private.words (
  library_id uuid not null references public.libraries on delete cascade,
  word text collate "C" not null,
  term integer not null, -- 0 for the word ''
  documents integer not null,
  passages integer not null,
  occurrences bigint not null,
  primary key (library_id, word, term)
);
create index words_term_idx on private.words (library_id, term);

/* What is yet to be added to `words`. Runs only append here: if each updated the rows of frequent words itself, every run would
   wait for every other. Readers add both tables up. */
create table private.word_changes (
  library_id uuid not null references public.libraries on delete cascade,
  word text collate "C" not null,
  term integer not null,
  documents integer not null,
  passages integer not null,
  occurrences bigint not null
);
create index word_changes_term_idx on private.word_changes (library_id, term);
create index word_changes_word_idx on private.word_changes (library_id, word);

-- The languages that a library's passages have had; a query is stemmed in each.
create table private.library_languages (
  library_id uuid references public.libraries on delete cascade,
  language text,
  primary key (library_id, language)
);
alter table private.passage_terms enable row level security;
alter table private.words enable row level security;
alter table private.word_changes enable row level security;
alter table private.library_languages enable row level security;

-- How often each word of the library occurs, together with the changes that are not added yet.
create view private.library_vocabulary as
  select library_id, word, term, documents, passages, occurrences from private.words
  union all
  select library_id, word, term, documents, passages, occurrences from private.word_changes;

/* Adds the changes to the words. One transaction at a time for each library; the others go on without, and their changes wait for
   the next. */
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

/* Adds (sign 1) or takes back (-1) the words of a document's indexed passages. The texts are read again when they are taken back:
   keeping every word of every passage would double the index. */
create function private.count_words(document uuid, title text, sign integer) returns void
  language plpgsql set search_path = ''
as $$
#variable_conflict use_column
declare
  changes bigint;
begin
  with indexed as (
    select p.id, p.library_id, p.language, t.length,
      private.plain_words(concat_ws(' ', count_words.title, p.heading, p.content)) as text
    from private.passage_terms t join public.passages p on p.id = t.passage_id where t.document_id = document
  ), words as (
    select i.library_id, i.language, w.lexeme as word, count(*) as passages, sum(cardinality(w.positions)) as occurrences
    from indexed i, unnest(to_tsvector('pg_catalog.simple', i.text)) w group by 1, 2, 3
  ), stemmed as (
    select library_id, word, private.term(library_id, s.stem) as term, passages, occurrences
    from words, lateral (
      select tsvector_to_array(to_tsvector(private.text_configuration(language), word)) as stems) v,
      unnest(v.stems) as s (stem)
    where char_length(word) <= 100
  )
  insert into private.word_changes (library_id, word, term, documents, passages, occurrences)
    select library_id, word, term, sign, sign * sum(passages), sign * sum(occurrences) from stemmed group by 1, 2, 3
    union all
    select library_id, '', 0, sign, sign * count(*), sign * sum(length) from indexed group by 1;
  get diagnostics changes = row_count;
  -- On average once in 20,000 changes, without anybody counting them.
  if random() * 20000 < changes then
    perform private.fold_word_changes(d.library_id) from public.documents d where d.id = document;
  end if;
end
$$;

/* Makes a document's passages findable: writes their terms, and counts their words. A stem is what a passage is mainly about
   when it reaches two thirds of the most that BM25 gives for a stem (k1 1.6, b 0.75). */
create function private.index_document(document uuid) returns void
  language plpgsql set search_path = ''
as $$
declare
  target public.documents;
  average real; -- length of the library's passages
begin
  select * into target from public.documents d where d.id = document and d.deleted_at is null;
  if not found then return; end if;
  select sum(v.occurrences)::real / nullif(sum(v.passages), 0) into average
    from private.library_vocabulary v where v.library_id = target.library_id and v.word = '';
  with titles as (
    select c.language, private.text_configuration(c.language) as configuration
    from (select distinct p.language from public.passages p where p.document_id = document) c
  ), title_words as (
    select t.language, w.lexeme, cardinality(w.positions) as n
    from titles t, unnest(to_tsvector(t.configuration, private.plain_words(target.title))) w
  ), stems as (
    select p.id, w.lexeme, cardinality(array_positions(w.weights, 'B')) as named, cardinality(array_positions(w.weights, 'D')) as n
    from public.passages p, unnest(p.search) w where p.document_id = document
    union all
    select p.id, t.lexeme, t.n, 0
    from public.passages p join title_words t on t.language is not distinct from p.language where p.document_id = document
  ), counted as (
    -- A word of both heading and title is one hint, not two.
    select id, private.term(target.library_id, lexeme) as term, least(max(named) + max(n), 255) as n from stems group by 1, 2
  ), measured as (
    select *, sum(n) over (partition by id) as length from counted
  )
  insert into private.passage_terms (passage_id, document_id, length, terms, counts)
    select id, document, least(max(length), 32767),
      array_agg(term order by term)
        || coalesce(array_agg(~term) filter (where n >= 3.2 * (0.25 + 0.75 * length / coalesce(average, length))), '{}'),
      decode(string_agg(lpad(to_hex(n), 2, '0'), '' order by term), 'hex')
    from measured group by id;
  perform private.count_words(document, target.title, 1);
  insert into private.library_languages
    select distinct target.library_id, coalesce(p.language, 'en') from public.passages p where p.document_id = document
    order by 2
    on conflict do nothing;
end
$$;

create function private.unindex_document(document uuid, title text) returns void
  language plpgsql set search_path = ''
as $$
begin
  perform private.count_words(document, title, -1);
  delete from private.passage_terms where document_id = document;
end
$$;

-- Whoever renames or deletes a document has no rights on the index; it follows all the same.
create function private.index_renamed_or_moved() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  perform private.unindex_document(new.id, old.title);
  perform private.index_document(new.id);
  return null;
end
$$;
create trigger index_renamed_or_moved after update of title, deleted_at on public.documents
  for each row when (old.title is distinct from new.title or (old.deleted_at is null) <> (new.deleted_at is null))
  execute function private.index_renamed_or_moved();

create function private.unindex_deleted() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  -- With its library gone, the words have gone, too.
  if exists (select from public.libraries l where l.id = old.library_id) then
    perform private.unindex_document(old.id, old.title);
  end if;
  return old;
end
$$;
create trigger unindex_deleted before delete on public.documents for each row execute function private.unindex_deleted();

select private.index_document(d.id) from public.documents d
where exists (select from public.passages p where p.document_id = d.id);
