-- What a query asks for: its words as the library knows them, typing errors corrected, the last word perhaps only begun
create extension if not exists fuzzystrmatch with schema extensions;

create function private.sorted_letters(word text) returns text
  language sql immutable strict parallel safe set search_path = ''
as $$ select string_agg(letter, '' order by letter) from string_to_table(word, null) letter $$;

-- Whether one of these documents has this very word, not only one with the same stem.
create function private.has_word(term integer, word text, included uuid[]) returns boolean
  language sql stable set search_path = ''
as $$
  select exists (
    select from private.passage_terms t join public.passages p on p.id = t.passage_id
      join public.documents d on d.id = p.document_id
    where t.terms @> array[term] and t.document_id = any (included)
      and to_tsvector('pg_catalog.simple', private.plain_words(concat_ws(' ', d.title, p.heading, p.content)))
        @@ quote_literal(word)::tsquery)
$$;

/* The word of the library that was probably meant by an unknown one, or null. Fewer edits first (two letters that changed places
   are one edit, a wrong first letter is one and a half), and of words about as near the more frequent one. A guest's
   `included` documents must have the word: nobody learns words of documents that they may not see. */
create function private.nearest_word(library uuid, typed text, included uuid[]) returns text
  language sql stable set search_path = ''
as $$
  with near as (
    select v.word, v.term, v.passages, extensions.levenshtein_less_equal(v.word, typed, 2) as edits
    from private.library_vocabulary v
    where v.library_id = library and char_length(v.word) between char_length(typed) - 2 and char_length(typed) + 2
      and octet_length(v.word) < 200 and v.word <> ''
      and extensions.levenshtein_less_equal(v.word, typed, 2) <= case when char_length(typed) > 4 then 2 else 1 end
  ), candidates as (
    select word, min(term) as term, sum(passages) as passages,
      min(edits - case when edits = 2 and private.sorted_letters(word) = private.sorted_letters(typed) then 1 else 0 end)
        + case when left(word, 1) = left(typed, 1) then 0 else 0.5 end as edits
    from near group by word having sum(passages) > 0
  )
  select c.word from candidates c
  where included is null or private.has_word(c.term, c.word, included)
  order by c.edits - 0.1 * ln(c.passages), c.word limit 1
$$;
/* How many passages have one of these stems. For a member from the library's vocabulary, where the forms of a word count as
   independent of each other; for a guest counted in the documents that they see. */
create function private.passages_with(library uuid, terms integer[], included uuid[], passage_count double precision)
  returns double precision
  language plpgsql stable set search_path = ''
as $$
begin
  if included is not null then
    return (select count(*) from private.passage_terms t where t.terms && passages_with.terms and t.document_id = any (included));
  end if;
  return coalesce((
    select passage_count * (1 - exp(sum(ln(1 - least(f.n / (passage_count + 1), 0.999)))))
    from (
      select sum(v.passages) as n from private.library_vocabulary v
      where v.library_id = library and v.term = any (passages_with.terms) group by v.word having sum(v.passages) > 0
    ) f), 0);
end
$$;

create type private.query_word as (
  typed text, -- as it stands in the query
  word text, -- as it is searched for
  terms integer[], -- its stems in the languages of the library, or those of words that begin like it
  passages double precision, -- how many have it
  times integer, -- how often the query says it
  is_beginning boolean -- the terms are those of words that begin like it
);

/* The words of a query in its order, without stop words. An unknown last word stands for those that begin like it (somebody is
   still typing); other unknown words are corrected if `correct` says so, and else stay, with no passages.
   included: the documents that a guest sees; null for a member. passage_count: how many there are to be searched. */
create function private.query_words(
  library uuid, query text, included uuid[], passage_count double precision, correct boolean, complete boolean
) returns setof private.query_word
  language plpgsql stable set search_path = ''
as $$
declare
  configurations regconfig[] := array(
    select private.text_configuration(l.language) from private.library_languages l where l.library_id = library);
  found_word private.query_word;
  begun text := case when not complete and query !~ '[^[:alnum:]]$' then
    private.plain_words(lower(substring(query from '[[:alnum:]]+$'))) end;
  corrected text;
begin
  if cardinality(configurations) = 0 then configurations := array['pg_catalog.english'::regconfig]; end if;
  for found_word.typed, found_word.word, found_word.times in
    select min(m.words[1]), private.plain_words(lower(m.words[1])), count(*)
    from regexp_matches(query, '[[:alnum:]]+', 'g') with ordinality as m (words, n)
    group by 2 order by min(m.n) limit 40
  loop
    found_word.terms := private.stems(library, found_word.word, configurations);
    continue when cardinality(found_word.terms) = 0;
    found_word.is_beginning := false;
    found_word.passages := private.passages_with(library, found_word.terms, included, passage_count);
    if found_word.passages = 0 and found_word.word = begun and char_length(begun) > 1 then
      found_word.terms := coalesce(nullif(private.terms_beginning(library, begun, included), '{}'), found_word.terms);
      found_word.is_beginning := true;
      found_word.passages := private.passages_with(library, found_word.terms, included, passage_count);
    end if;
    if found_word.passages = 0 and correct and char_length(found_word.word) between 3 and 60 and found_word.word !~ '\d' then
      corrected := private.nearest_word(library, found_word.word, included);
      if corrected is not null then
        found_word.word := corrected;
        found_word.terms := private.stems(library, corrected, configurations);
        found_word.passages := private.passages_with(library, found_word.terms, included, passage_count);
      end if;
    end if;
    return next found_word;
  end loop;
end
$$;

create function private.stems(library uuid, word text, configurations regconfig[]) returns integer[]
  language sql immutable set search_path = ''
as $$
  select coalesce(array_agg(distinct private.term(library, stem)), '{}')
  from unnest(configurations) as c (configuration), unnest(tsvector_to_array(to_tsvector(c.configuration, word))) as s (stem)
$$;

-- The stems of the twenty most frequent words that begin like this.
create function private.terms_beginning(library uuid, beginning text, included uuid[]) returns integer[]
  language sql stable set search_path = ''
as $$
  with words as (
    select v.word, min(v.term) as term, sum(v.passages) as passages from private.library_vocabulary v
    where v.library_id = library and v.word >= beginning and v.word < beginning || chr(1114111)
    group by v.word having sum(v.passages) > 0
  )
  select coalesce(array_agg(distinct term), '{}') from (
    select w.term from words w where included is null or private.has_word(w.term, w.word, included)
    order by w.passages desc, w.word limit 20) t
$$;
