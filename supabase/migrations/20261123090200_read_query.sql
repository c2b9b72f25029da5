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

/* The word of the library that was probably meant by an unknown one, or null. One edit (a letter too many, missing, wrong, or two
   that changed places), two from eight letters on; of words about as near the more frequent one. Not for short words, in which
   one letter is much, nor for those with digits. A guest's `included` documents must have the word: nobody learns words of
   documents that they may not see. */
create function private.nearest_word(library uuid, typed text, included uuid[]) returns text
  language sql stable set search_path = ''
as $$
  with near as (
    select v.word, v.term, v.passages, extensions.levenshtein_less_equal(v.word, typed, 2) as edits
    from private.library_vocabulary v
    where char_length(typed) between 4 and 50 and typed !~ '\d' and v.library_id = library
      and char_length(v.word) between char_length(typed) - 2 and char_length(typed) + 2
      and extensions.levenshtein_less_equal(v.word, typed, 2) <= 2
  ), candidates as (
    select n.word, min(n.term) as term, sum(n.passages) as passages,
      min(n.edits - case when n.edits = 2 and private.sorted_letters(n.word) = private.sorted_letters(typed) then 1 else 0 end)
        as edits
    from near n group by n.word having sum(n.passages) > 0
  )
  select c.word from candidates c
  where c.edits <= case when char_length(typed) < 8 then 1 else 2 end
    and (included is null or private.has_word(c.term, c.word, included))
  order by c.edits + case when left(c.word, 1) = left(typed, 1) then 0 else 0.5 end - 0.1 * ln(c.passages), c.word
  limit 1
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
  is_beginning boolean, -- the terms are those of words that begin like it
  is_required boolean -- it stands in a phrase
);

/* The words of a query in its order, without stop words. An unknown last word stands for those that begin like it (somebody is
   still typing); other unknown words are corrected if `correct` says so, and else stay, with no passages. Words of a phrase stay
   as they are.
   required: the words that stand in phrases; included: the documents that a guest sees, null for a member; passage_count: how
   many passages there are to be searched. */
create function private.query_words(
  library uuid, query text, required text[], included uuid[], passage_count double precision, correct boolean
) returns setof private.query_word
  language plpgsql stable set search_path = ''
as $$
declare
  configurations regconfig[] := array(
    select distinct private.text_configuration(l.language) from private.library_languages l where l.library_id = library);
  begun constant text := private.plain_words(lower(substring(query from '[[:alnum:]]+$')));
  found_word private.query_word;
  meant text;
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
    found_word.is_required := found_word.word = any (required);
    found_word.passages := private.passages_with(library, found_word.terms, included, passage_count);
    if found_word.passages = 0 and found_word.is_required is not true then
      if found_word.word = begun and char_length(begun) > 1 then
        found_word.is_beginning := true;
        found_word.terms := coalesce(nullif(private.terms_beginning(library, begun, included), '{}'), found_word.terms);
        found_word.passages := private.passages_with(library, found_word.terms, included, passage_count);
      end if;
      if found_word.passages = 0 and correct then
        meant := private.nearest_word(library, found_word.word, included);
        if meant is not null then
          found_word.is_beginning := false;
          found_word.word := meant;
          found_word.terms := private.stems(library, meant, configurations);
          found_word.passages := private.passages_with(library, found_word.terms, included, passage_count);
        end if;
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
