-- Words of a query: spelling, languages, compounds and stems.

-- Whether one of these documents has this exact word, not just the same stem.
create function private.has_word(terms integer[], word text, included uuid[]) returns boolean
  language sql stable set search_path = ''
as $$
  select exists (
    select from private.passage_terms t join public.passages p on p.id = t.passage_id
      join public.documents d on d.id = p.document_id
    where t.terms && has_word.terms and t.document_id = any (included)
      and to_tsvector('pg_catalog.simple', private.plain_words(concat_ws(' ', d.title, p.heading, p.content)))
        @@ quote_literal(word)::tsquery)
$$;

/* Returns the word that was probably meant by an unknown one, or null: one edit away (insertion, deletion, substitution, swap), two from
   eight letters on. Not for short words or digits, and only from the `included` documents for guests. */
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
    select n.word, array_agg(distinct n.term) as terms, sum(n.passages) as passages,
      min(n.edits - case when n.edits = 2 and array(select string_to_table(n.word, null) order by 1) = letters then 1 else 0 end) as edits
    from near n, lateral (select array(select string_to_table(typed, null) order by 1) as letters) t
    group by n.word having sum(n.passages) > 0
  )
  select c.word from candidates c
  where c.edits <= case when char_length(typed) < 8 then 1 else 2 end
    and (included is null or private.has_word(c.terms, c.word, included))
  order by c.edits + case when left(c.word, 1) = left(typed, 1) then 0 else 0.5 end - 0.1 * ln(c.passages), c.word
  limit 1
$$;

/* Counts passages with one of these stems: from the vocabulary, or for guests in the documents they see. */
create function private.passages_with(library uuid, terms integer[], included uuid[], passage_count double precision) returns double precision
  language sql stable set search_path = ''
as $$
  select case when included is not null
    then (select count(*) from private.passage_terms t where t.terms && passages_with.terms and t.document_id = any (included))
    else (
      select coalesce(passage_count * (1 - exp(sum(ln(1 - least(f.n / (passage_count + 1), 0.999))))), 0)
      from (
        select sum(v.passages) as n from private.library_vocabulary v
        where v.library_id = library and v.word = '' and v.term = any (passages_with.terms) group by v.term having sum(v.passages) > 0
      ) f)
  end
$$;

create type private.query_word as (
  typed text, -- in the query
  word text, -- searched for
  terms integer[], -- its stems in the library's languages, or those of words beginning with it
  passages double precision, -- that have it
  weight double precision, -- the most that it adds to a passage's score
  is_beginning boolean, -- the terms are of words beginning with it
  is_required boolean, -- part of a phrase
  own integer[], -- its stems in the query's language; null if unknown
  is_extra boolean -- counts in addition: an identifier or compound whose parts are words as well, or the parts of a known compound
);

/* Splits a text into words in order: identifiers whole and in parts (without single letters), and letter pairs in scripts without spaces. */
create function private.query_tokens(query text) returns table (typed text, word text, is_whole boolean, n bigint)
  language sql immutable set search_path = ''
as $$
  select t.typed, private.plain_words(lower(t.typed)), t.is_whole, row_number() over (order by m.n, t.is_whole, t.place)
  from regexp_matches(private.normalized(query), '[[:alnum:]٠-٩۰-۹]+(?:[_.-][[:alnum:]]+)*', 'g') with ordinality as m (found, n),
  lateral (select m.found[1] ~ '[_.-].*[_.-]|[_.-].*[[:alpha:]]|[[:alpha:]].*[_.-]' as is_identifier) i,
  lateral (
    select regexp_replace(m.found[1], '[_.-]', '', 'g') as typed, true as is_whole, 0::bigint as place where i.is_identifier
    union all
    select pair, false, part.n from regexp_split_to_table(m.found[1], '[_.-]') with ordinality as part (word, n),
      regexp_split_to_table(private.in_pairs(part.word), ' ') pair
    where pair <> '' and not (i.is_identifier and char_length(part.word) = 1)
  ) t
$$;

/* Whether a word says nothing about a subject, with or without its accents: PostgreSQL's lists have "für" with them and "où" without. The
   lists lack question words, and some languages have none. */
create function private.is_stop_word(language text, typed text) returns boolean
  language sql immutable parallel safe set search_path = ''
as $$
  select 0 in (length(to_tsvector(c, lower(typed))), length(to_tsvector(c, plain)))
    or plain = any (regexp_split_to_array(private.plain_words(case language
      when 'ar' then 'ما ماذا من متى أين كيف كم لماذا هل أي هو هي هم في على إلى عن مع أو أن إن لا هذا هذه ذلك التي الذي كان كل قد'
      when 'cs' then 'a i je jsou byl jak kdo co kde kdy proč kolik který která které v ve na do z ze s se si k o za po pro od u nebo'
      when 'de' then 'wann wieviel wieviele wozu wofür woher wohin womit woran wodurch warum weshalb wieso wer wen wem'
      when 'el' then 'ο η το οι τα του στο στη και είναι για με από που πού τι τί πότε πως πώς γιατί ποιος ποια ποιο πόσο πόσα'
      when 'es' then 'cuánto cuánta cuántos cuántas cuándo dónde cómo cuál cuáles quién quiénes'
      when 'fr' then 'combien quand comment pourquoi quel quelle quels quelles lequel laquelle quoi'
      when 'it' then 'quando cosa cos quali'
      when 'nl' then 'hoeveel wanneer waar waarom welke'
      when 'pl' then 'i w z na do o od po za dla przez przy lub oraz a ale nie to jest są był ile kiedy gdzie jak jaki jaka jakie kto co czy który która się'
      when 'pt' then 'quanto quantos quanta quantas onde quais porque'
      when 'ro' then 'și în la de cu pe din un o este sunt a ce cine când unde cum cât câți câte care pentru'
      when 'ru' then 'сколько откуда почему зачем какой какая какое какие такое'
      when 'tr' then 'kadar kaç hangi mı mi mu nerede neden'
      when 'uk' then 'і й та в у на до з із за для що як хто коли де чому скільки який яка є це не'
      else '' end), ' '))
  from (select private.text_configuration(language) as c, private.plain_words(lower(typed)) as plain) t
$$;

/* Returns the languages that a query may be in, likeliest first, within a factor of 27, judged by its words; a stop word counts as in half
   of the passages. For guests only stop words count. Five passages, and one in a thousand, are added, so that small languages don't win by
   one word. */
create function private.query_languages(library uuid, query text, is_member boolean) returns text[]
  language sql stable set search_path = ''
as $$
  with languages as (
    select l.language, (
      select sum(v.passages) from private.library_vocabulary v
      where v.library_id = library and v.word = '' and v.term = private.term(library, l.language, '')) as passages
    from private.library_languages l where l.library_id = library
  ), words as (
    select distinct on (t.word) t.word, t.typed from private.query_tokens(query) t where not t.is_whole and t.n <= 40
  ), likely as (
    select l.language, l.passages, sum(ln(greatest(0.001, case when private.is_stop_word(l.language, w.typed) then 0.5 when is_member then (
        select max(f.n) from (
          select sum(v.passages) as n from private.library_vocabulary v
          where v.library_id = library and v.word = '' and v.term = any (s.terms) group by v.term) f
      ) / (l.passages + 5) end))) as likeness
    from languages l left join words w on true
      left join lateral (select private.stems(library, w.word, array[l.language]) as terms) s on true
    group by 1, 2
  )
  select coalesce(array_agg(l.language order by l.likeness desc, l.passages desc, l.language), '{}')
  from (select *, max(likeness) over () as most from likely) l where l.likeness >= l.most - ln(27) or l.likeness is null
$$;

/* Returns the parts of a compound ("Paketverwaltung": Paket, Verwaltung), or null. Both have at least four letters, occur in the library in
   one language, and are at least as frequent as the compound, which occurs in `passages` passages. The stemmer removes a joining letter. */
create function private.compound_parts(
  library uuid, word text, languages text[], included uuid[], passage_count double precision, passages double precision
) returns text[]
  language sql stable set search_path = ''
as $$
  select array[left(word, at), substr(word, at + 1)]
  from unnest(languages) with ordinality as l (language, n), generate_series(4, char_length(word) - 4) at,
    private.passages_with(library, private.stems(library, left(word, at), array[language]), included, passage_count) head,
    private.passages_with(library, private.stems(library, substr(word, at + 1), array[language]), included, passage_count) tail
  -- Two conditions, so that most tails aren't looked up.
  where head > 0 and tail > 0 and sqrt(head * tail) >= compound_parts.passages
  order by l.n, head * tail desc limit 1
$$;

/* Returns a query's words in order, without stop words. An unknown last word matches words beginning with it (someone is still typing), and
   a single letter of a script without spaces matches all pairs with it. Other unknown words are corrected if `correct`, or stay without
   passages. Words of phrases aren't corrected; an unknown identifier has only its parts.

   required: words in phrases; included: the documents a guest sees, null for members; passage_count: passages to search; likely: from
   private.query_languages. If the query's language is one of several, weights come from that language alone, so that documents in other
   languages don't matter, and its stop words weigh nothing. Twenty average passages are added for languages with few.

   Stop words aren't indexed for passages in their language, so phrases don't require them: has_literally checks the phrase itself.

   Neighbouring words also match their compound ("Paket Verwaltung": "Paketverwaltung"), and compounds their parts: instead of an unknown
   one, or a third as much as a known one in languages that join words, where an unknown word also matches compounds that end with it. */
create function private.query_words(
  library uuid, query text, required text[], included uuid[], passage_count double precision, correct boolean, likely text[] default null,
  compounds boolean default true
) returns setof private.query_word
  language plpgsql stable set search_path = ''
as $$
declare
  languages text[] := array(select l.language from private.library_languages l where l.library_id = library);
  joining constant text[] := '{da,de,fi,hu,nb,nl,nn,no,sv}'; -- languages that join words
  spoken text;
  spoken_passages double precision;
  begun constant text := (select t.word from private.query_tokens(query) t where query ~ '[[:alnum:]٠-٩۰-۹]$' order by t.n desc limit 1);
  found_word private.query_word;
  times integer; -- in the query
  is_stop_word boolean; -- in one of the library's languages
  meant text;
  part private.query_word;
  splits integer := case when compounds then 6 else 0 end; -- words still split at every letter, which takes milliseconds each
  parts text[];
  joined text;
  found_words private.query_word[] := '{}';
begin
  if cardinality(languages) = 0 then languages := array['en']; end if;
  likely := coalesce(likely, private.query_languages(library, query, included is null));
  if cardinality(languages) > 1 and cardinality(likely) = 1 then
    spoken := likely[1];
    select sum(v.passages) into spoken_passages from private.library_vocabulary v
      where v.library_id = library and v.word = '' and v.term = private.term(library, spoken, '');
  end if;
  for found_word.typed, found_word.word, found_word.is_extra, times in
    select (array_agg(t.typed order by t.n))[1], t.word, bool_and(t.is_whole), count(*)
    from private.query_tokens(query) t group by 2 order by min(t.n) limit 40
  loop
    found_word.terms := private.known_stems(library, found_word.word, languages, included);
    continue when cardinality(found_word.terms) = 0;
    is_stop_word := exists (select from unnest(languages) l where private.is_stop_word(l, found_word.typed));
    continue when is_stop_word and not exists (select from unnest(likely) l where not private.is_stop_word(l, found_word.typed));
    found_word.is_beginning := false;
    found_word.is_required := found_word.word = any (required) and not is_stop_word;
    found_word.passages := private.passages_with(library, found_word.terms, included, passage_count);
    continue when found_word.passages = 0 and (is_stop_word or found_word.is_extra);
    if found_word.passages = 0 and found_word.is_required is not true then
      if found_word.word = begun and char_length(begun) > 1 or found_word.word ~ ('^[' || private.unspaced() || ']$') then
        found_word.is_beginning := true;
        found_word.terms := coalesce(nullif(private.terms_beginning(library, found_word.word, included), '{}'), found_word.terms);
        found_word.passages := private.passages_with(library, found_word.terms, included, passage_count);
      end if;
      if found_word.passages = 0 and found_word.word ~ '^\D{6,}$' and likely && joining then
        joined := private.compounds_ending(library, found_word.word, included) || ' ';
        for part in select * from private.query_words(library, joined, '{}', included, passage_count, false, likely, false) loop
          found_word.terms := found_word.terms || part.terms;
          part.weight := 0;
          part.is_extra := true;
          found_words := found_words || part;
        end loop;
        found_word.passages := private.passages_with(library, found_word.terms, included, passage_count);
      end if;
    end if;
    if splits > 0 and not found_word.is_required and found_word.word ~ '^\D{8,30}$' and (not found_word.is_beginning or found_word.passages = 0) then
      splits := splits - 1;
      parts := private.compound_parts(library, found_word.word, array(
        select l from unnest(likely) l where found_word.passages = 0 or l = any (joining)
      ), included, passage_count, found_word.passages);
      for part in select * from private.query_words(library, array_to_string(parts, ' ', '') || ' ', '{}', included, passage_count, false, likely, false) loop
        part.is_extra := found_word.passages > 0;
        part.weight := part.weight * times * case when part.is_extra then 0.33 else 1 end;
        found_words := found_words || part;
      end loop;
      continue when parts is not null and found_word.passages = 0;
    end if;
    if found_word.passages = 0 and found_word.is_required is not true and correct then
      meant := private.nearest_word(library, found_word.word, included);
      if meant is not null then
        found_word.is_beginning := false;
        found_word.word := meant;
        found_word.terms := private.known_stems(library, meant, languages, included);
        found_word.passages := private.passages_with(library, found_word.terms, included, passage_count);
      end if;
    end if;
    found_word.own := case when spoken is not null and not found_word.is_beginning then private.stems(library, found_word.word, array[spoken]) end;
    found_word.weight := times * case when found_word.own is not null and included is null
      then private.word_weight(private.passages_with(library, found_word.own, null, spoken_passages) + 20 * found_word.passages / passage_count,
        spoken_passages + 20)
      else private.word_weight(found_word.passages, passage_count) end;
    found_words := found_words || found_word;
  end loop;
  for i in 2..cardinality(found_words) loop
    continue when not compounds or true in (found_words[i - 1].is_required, found_words[i].is_required, found_words[i - 1].is_extra, found_words[i].is_extra);
    select string_agg(joins.word, ' ') || ' ' into joined
      from unnest(array['', 's']) as link, concat(found_words[i - 1].word, link, found_words[i].word) as joins (word)
      where joins.word !~ ('[' || private.unspaced() || ']') and joins.word not in (select w.word from unnest(found_words) w)
        and private.passages_with(library, private.stems(library, joins.word, likely), included, passage_count) > 0;
    for part in select * from private.query_words(library, joined, '{}', included, passage_count, false, likely, false) loop
      for place in i - 1..i loop
        found_words[place].terms := found_words[place].terms || part.terms;
        found_words[place].own := found_words[place].own || part.own;
        found_words[place].passages := found_words[place].passages + part.passages;
      end loop;
      part.weight := 0;
      part.is_extra := true;
      found_words := found_words || part;
    end loop;
  end loop;
  return query select * from unnest(found_words);
end
$$;

-- Returns the five most frequent words that end with this one or a form of it ("Kaution": "Mietkautionen"), separated by spaces, or null.
create function private.compounds_ending(library uuid, ending text, included uuid[]) returns text
  language sql stable set search_path = ''
as $$
  select string_agg(word, ' ') from (
    select v.word from private.library_vocabulary v
    where v.library_id = library and v.word like any (array['%_' || ending, '%_' || ending || '_', '%_' || ending || '__'])
    group by v.word having sum(v.passages) > 0 and (included is null or private.has_word(array_agg(v.term), v.word, included))
    order by sum(v.passages) desc, v.word limit 5) w
$$;

create function private.stems(library uuid, word text, languages text[]) returns integer[]
  language sql immutable set search_path = ''
as $$
  select coalesce(array_agg(distinct private.term(library, l.language, stem)), '{}')
  from unnest(languages) as l (language),
    unnest(tsvector_to_array(private.stems_in(private.text_configuration(l.language), word))) as s (stem)
$$;

-- Likewise, limits many languages to the stems that the library has, if any; for guests, keeps all.
create function private.known_stems(library uuid, word text, languages text[], included uuid[]) returns integer[]
  language sql stable set search_path = ''
as $$
  select case when cardinality(languages) < 3 or included is not null then s.terms else coalesce(nullif(array(
    select distinct v.term from private.library_vocabulary v where v.library_id = library and v.word = '' and v.term = any (s.terms)
  ), '{}'), s.terms) end
  from (select private.stems(library, word, languages) as terms) s
$$;

-- Returns the stems of the twenty most frequent words with this prefix; for a letter of a script without spaces, of those that contain it.
create function private.terms_beginning(library uuid, beginning text, included uuid[]) returns integer[]
  language sql stable set search_path = ''
as $$
  with words as (
    select v.word, array_agg(distinct v.term) as terms, sum(v.passages) as passages from private.library_vocabulary v
    where v.library_id = library and (v.word >= beginning and v.word < beginning || chr(1114111)
      or char_length(beginning) = 1 and char_length(v.word) = 2 and right(v.word, 1) = beginning)
    group by v.word having sum(v.passages) > 0
  )
  select coalesce(array_agg(distinct term), '{}') from (
    select w.terms from words w where included is null or private.has_word(w.terms, w.word, included)
    order by w.passages desc, w.word limit 20) t, unnest(t.terms) term
$$;
