-- Passages by words and meaning.

create function private.sorted_letters(word text) returns text
  language sql immutable strict parallel safe set search_path = ''
as $$ select string_agg(letter, '' order by letter) from string_to_table(word, null) letter $$;

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
      min(n.edits - case when n.edits = 2 and private.sorted_letters(n.word) = private.sorted_letters(typed) then 1 else 0 end)
        as edits
    from near n group by n.word having sum(n.passages) > 0
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
  lateral (select m.found[1] ~ '[_.-]' and m.found[1] ~ '[[:alpha:]]' as is_identifier) i,
  lateral (
    select regexp_replace(m.found[1], '[_.-]', '', 'g') as typed, true as is_whole, 0::bigint as place where i.is_identifier
    union all
    select pair, false, part.n from regexp_split_to_table(m.found[1], '[_.-]') with ordinality as part (word, n),
      regexp_split_to_table(private.in_pairs(part.word), ' ') pair
    where pair <> '' and not (i.is_identifier and char_length(part.word) = 1)
  ) t
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
    select distinct t.word from private.query_tokens(query) t where not t.is_whole and t.n <= 40
  ), likely as (
    select l.language, l.passages, sum(ln(greatest(0.001, case when cardinality(s.terms) = 0 then 0.5 when is_member then (
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
   one, or a third as much as a known one in languages that join words. */
create function private.query_words(
  library uuid, query text, required text[], included uuid[], passage_count double precision, correct boolean, likely text[] default null,
  compounds boolean default true
) returns setof private.query_word
  language plpgsql stable set search_path = ''
as $$
declare
  languages text[] := array(select l.language from private.library_languages l where l.library_id = library);
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
    is_stop_word := exists (select from unnest(languages) l where cardinality(private.stems(library, found_word.word, array[l])) = 0);
    continue when is_stop_word
      and not exists (select from unnest(likely) l where cardinality(private.stems(library, found_word.word, array[l])) > 0);
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
    end if;
    if splits > 0 and not found_word.is_required and found_word.word ~ '^\D{8,30}$' and (not found_word.is_beginning or found_word.passages = 0) then
      splits := splits - 1;
      parts := private.compound_parts(library, found_word.word, array(
        select l from unnest(likely) l where found_word.passages = 0 or l = any ('{da,de,fi,hu,nb,nl,nn,no,sv}')
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

-- BM25 ranking, and feedback from the best passages
create type private.ranked_passage as (passage_id uuid, document_id uuid, score double precision);

-- Returns the weight of a word's rarity.
create function private.word_weight(passages_with_it double precision, passage_count double precision) returns double precision
  language sql immutable parallel safe set search_path = ''
as $$ select 2.6::float8 * ln(1 + (passage_count - passages_with_it + 0.5) / (passages_with_it + 0.5)) $$;

-- Returns BM25's k, the occurrences for half of a word's weight, with k1 = 1.2 and b = 0.7.
create function private.half_weight_at(length double precision, average_length double precision) returns double precision
  language sql immutable parallel safe
as $$ select 1.2::float8 * (0.3::float8 + 0.7::float8 * length / average_length) $$;

/* Returns the best passages by BM25, at least `depth` if there are enough.

   Ranks passages with one of the rarest words first. If the others can't reach the best hundred, that's all. Otherwise ranks passages with
   more frequent words too; if those are too many to read, in steps: passages mainly about all frequent words, then those that have them
   all, then the same without the most frequent ones.

   words: passages must have the required ones; included: the documents to search, null for all; literal: a text for websearch_to_tsquery
   that passages must match, or null. */
create function private.rank_by_words(
  words private.query_word[], passage_count double precision, average_length double precision, included uuid[], literal text,
  depth integer
) returns setof private.ranked_passage
  language plpgsql stable set search_path = '' set jit = off
as $$
declare
  certain constant integer := 100; -- this many are sure to be the best
  most_rows constant double precision := 75000.0 / (cardinality(words) + 2); -- ranked in about 25 ms
  sorted constant private.query_word[] := array(select w from unnest(words) w order by w.passages, w.word);
  score text;
  statement text;
  budget double precision;
  rare integer; -- the number of words searched, rarest first
  frequent private.query_word[];
  frequent_most double precision; -- the most that the others add together
  expected double precision; -- passages that have all of them, if independent
  hits private.ranked_passage[] := '{}';
  step private.ranked_passage[] := '{}';
begin
  if cardinality(sorted) = 0 then return; end if;
  -- Words in another language than the query's count less. A passage has one language, so one of the two counts is 0.
  select string_agg(format('%s::float8 * (1 - k / (k + (%s)))', w.weight * part.share, (
      select string_agg(format('coalesce(get_byte(counts, array_position(terms, %s) - 1), 0)', t), ' + ') from unnest(part.terms) t)
    ), ' + ') into score
  from unnest(sorted) w, lateral (
    select case when t = any (w.own) or w.own is null then 1.0 else 0.7 end as share, array_agg(t) as terms from unnest(w.terms) t group by 1
  ) part;
  -- The inner "offset 0" computes k once per passage, not per word. The outer one checks phrases in the best passages first.
  statement := format($sql$
    select coalesce(array_agg((passage_id, document_id, score)::private.ranked_passage order by score desc, passage_id), '{}')
    from (select * from (
      select passage_id, document_id, %s as score from (
        select passage_id, document_id, terms, counts, private.half_weight_at(length, %s) as k from private.passage_terms t
        where (%%s) %s offset 0) candidates
      order by 3 desc, 1 offset 0) ranked
      %s limit %s) best
    $sql$, score, greatest(average_length, 1),
    case when included is null then '' else 'and document_id = any ($1)' end,
    case when literal is null then '' else 'where private.has_literally(passage_id, $2)' end, depth);

  if exists (select from unnest(sorted) w where w.is_required) then
    execute format(statement, (
      select string_agg(format('terms && %L', w.terms), ' and ') from unnest(sorted) w where w.is_required
    )) into hits using included, literal;
    return query select h.* from unnest(hits) h;
    return;
  end if;

  foreach budget in array array[most_rows / 5, most_rows] loop
    select count(*) filter (where w.upto <= budget),
      coalesce(sum(w.weight) filter (where w.upto > budget), 0)
      into rare, frequent_most
      from (select w.weight, sum(w.passages) over (order by n) as upto
        from unnest(sorted) with ordinality as w (typed, word, terms, passages, weight, is_beginning, is_required, own, is_extra, n)) w;
    if rare > 0 then
      execute format(statement, format('terms && %L', array(select unnest(w.terms) from unnest(sorted[:rare]) w)))
        into hits using included, literal;
    end if;
    if rare = cardinality(sorted) or cardinality(hits) >= certain and (hits[certain]).score >= frequent_most then
      return query select h.* from unnest(hits) h;
      return;
    end if;
  end loop;

  frequent := sorted[rare + 1:];
  select passage_count * exp(sum(ln(w.passages / passage_count))) into expected from unnest(frequent) w;
  for number in reverse cardinality(frequent)..1 loop
    -- Skip combinations of words that rarely occur together.
    if number = 1 or expected * 10 >= depth then
      execute format(statement, (
        select string_agg(format('terms && %L', array(select ~t from unnest(w.terms) t)), ' and ') from unnest(frequent[:number]) w
      )) into step using included, literal;
      if cardinality(step) < depth then
        execute format(statement, (
          select string_agg(format('terms && %L', w.terms), ' and ') from unnest(frequent[:number]) w
        )) into step using included, literal;
      end if;
      exit when cardinality(step) >= depth;
    end if;
    expected := expected * passage_count / (frequent[number]).passages;
  end loop;
  return query select distinct on (h.passage_id) h.* from unnest(hits || step) h order by h.passage_id;
end
$$;

-- Whether a passage, with its heading and title, has these phrases and no excluded words.
create function private.has_literally(passage uuid, literal text) returns boolean
  language sql stable set search_path = ''
as $$
  select (p.search || private.stems_in(c.configuration, concat_ws(' ', d.title, t.words)))
    @@ websearch_to_tsquery(c.configuration,
      private.one_spelling(c.configuration, replace(replace(literal, 'ß', 'ss'), 'ẞ', 'SS')))
  from public.passages p join public.documents d on d.id = p.document_id
    left join private.field_texts t on t.document_id = p.document_id,
    private.text_configuration(p.language) as c (configuration)
  where p.id = passage
$$;

-- Returns the query's neighbouring words as they follow each other in a text, at most two words apart.
create function private.neighbours(words private.query_word[], language text) returns tsquery[]
  language sql stable set search_path = ''
as $$
  select array_agg(tsquery_phrase(a, b) || tsquery_phrase(a, b, 2) || tsquery_phrase(a, b, 3)) filter (where numnode(a) * numnode(b) > 0)
  from (
    select q.b, lag(q.b) over (order by w.n) as a
    from unnest(words) with ordinality as w (typed, word, terms, passages, weight, is_beginning, is_required, own, is_extra, n),
      private.text_configuration(language) as c (configuration),
      plainto_tsquery(c.configuration, private.one_spelling(c.configuration, w.word)) as q (b)
    where not w.is_extra) pairs
$$;

/* Rescores passages relative to each other, 0 to 1. hits: best first.
   - Neighbouring words of the query that are neighbours in the passage add up to three fifths of its score.
   - Twenty rare stems shared within the top ten add up to a fifth of the best score (pseudo-relevance feedback).
   - Half of each score comes from the ten nearest passages, because a hit among unrelated ones is probably accidental. It's less for fewer
     than a hundred hits, and none if they come from half as many documents: passages of one document resemble each other anyway. */
create function private.in_company(hits private.ranked_passage[], average_length double precision, words private.query_word[])
  returns table (passage_id uuid, score double precision)
  language sql stable set search_path = ''
as $$
  with languages as materialized (
    select p.language, private.neighbours(words, p.language) as pairs
    from unnest(hits) h join public.passages p on p.id = h.passage_id group by p.language
  ), pool as materialized (
    select h.passage_id, h.n, count(*) over () as size, h.score / max(h.score) over () * (1 + 0.6 * coalesce((
        select count(*) filter (where p.search @@ pair) / greatest(count(*), 2)::float8 from unnest(l.pairs) pair), 0)) / 1.6 as score,
      greatest(2 * (select count(distinct d.document_id) from unnest(hits) d) - cardinality(hits), 0) / 100.0 as share, t.terms, t.counts,
      private.half_weight_at(t.length, greatest(average_length, 1)) as k, p.embedding, p.embedding_model
    from unnest(hits) with ordinality as h (passage_id, document_id, score, n)
    join private.passage_terms t on t.passage_id = h.passage_id join public.passages p on p.id = h.passage_id
    join languages l on l.language is not distinct from p.language
  ), stems as materialized (
    -- Unnesting both columns in parallel takes a fifth of the time of "with ordinality".
    select p.passage_id, p.n, p.size, p.score, p.k, p.counts, unnest(p.terms[:octet_length(p.counts)]) as term,
      generate_series(0, octet_length(p.counts) - 1) as place from pool p
  ), said as materialized (
    select s.passage_id, s.n, s.size, s.score, s.term, 1 - s.k / (s.k + get_byte(s.counts, s.place)) as saturation
    from stems s join (select b.term from stems b where b.n <= 10 group by b.term having count(*) > 1) shared on shared.term = s.term
  ), common as (
    select s.term, sum(s.score * s.saturation) filter (where s.n <= 10) as share,
      ln(1 + (min(s.size) - count(*) + 0.5) / (count(*) + 0.5))::float8 as rarity
    from said s group by s.term
  ), heaviest as (
    select c.term, c.share * c.rarity * c.rarity as weight from common c order by c.share * c.rarity desc, c.term limit 20
  ), matched as (
    select s.passage_id, sum(s.saturation * h.weight) as weight from said s join heaviest h on h.term = s.term group by s.passage_id
  ), raised as materialized (
    select p.passage_id, p.share, p.score as first_score, p.embedding, p.embedding_model,
      (p.score + 0.2 * coalesce(m.weight / nullif(max(m.weight) over (), 0), 0)) / 1.2 as score
    from pool p left join matched m on m.passage_id = p.passage_id
  )
  select r.passage_id, r.first_score + ((r.score + coalesce(around.score, r.score)) / 2 - r.first_score) * r.share
  from raised r, lateral (
    select sum(near.likeness * near.score) / nullif(sum(near.likeness), 0) as score
    from (
      -- A passage of stop words alone has a zero vector, whose cosine is NaN.
      select o.score, greatest(coalesce(nullif(1 - (o.embedding operator(extensions.<=>) r.embedding), 'NaN'), 0), 0) as likeness
      from raised o
      where o.passage_id <> r.passage_id and o.embedding_model = r.embedding_model
      order by o.embedding operator(extensions.<=>) r.embedding limit 10
    ) near
  ) around
$$;

/* Returns where query words are in a text: [[start, end], …] in UTF-16 units, compared as in search. Identifiers are marked as a whole if
   the query has them whole. In scripts without spaces the pairs overlap. */
create function private.highlights(content text, language text, words private.query_word[]) returns jsonb
  language sql stable set search_path = ''
as $$
  with asked as materialized (
    select c.configuration, array_agg(w.word) filter (where w.is_extra) as wholes, array_agg(w.word) as words,
      string_agg(nullif(case when w.is_beginning then quote_literal(w.word) || ':*'
        else plainto_tsquery(c.configuration, private.one_spelling(c.configuration, w.word))::text end, ''), ' | ')::tsquery as query,
      -- Filters words by first letter, except in languages that put prefixes before stems.
      case when c.configuration::text not in ('arabic', 'indonesian', 'irish', 'tamil', 'yiddish') then array_agg(left(w.word, 1)) end as firsts
    from private.text_configuration(language) as c (configuration), unnest(words) w group by 1
  ), tokens as materialized (
    select m.found[2] as token, sum(char_length(m.found[1]) + char_length(m.found[2])) over (order by m.n) - char_length(m.found[2]) as start
    from (select '[:alnum:]٠-٩۰-۹' || private.unwritten() as letters, private.unspaced() as unspaced) c,
      regexp_matches(content, format('([^%1$s]*)([%2$s]+|(?:(?![%2$s])[%1$s])+(?:[_.-](?:(?![%2$s])[%1$s])+)*)', c.letters, c.unspaced), 'g')
        with ordinality as m (found, n)
  ), parts as (
    select p.part, t.start + p.shift as start from tokens t, asked a, lateral (
      select t.token as part, 0::bigint as shift
      where t.token !~ '[_.-]' or lower(private.plain_words(private.joined_identifiers(t.token))) = any (a.wholes)
      union all
      select s.part, sum(char_length(s.part) + 1) over (order by s.n) - char_length(s.part) - 1
      from regexp_split_to_table(t.token, '[_.-]') with ordinality as s (part, n)
      where t.token ~ '[_.-]' and lower(private.plain_words(private.joined_identifiers(t.token))) = any (a.wholes) is not true
    ) p where p.part !~ ('[' || private.unspaced() || ']')
  ), matching as materialized (
    select d.part from (select distinct part from parts) d, asked a
    where (a.firsts is null or lower(left(private.without_accents(left(d.part, 4)), 1)) = any (a.firsts))
      and private.stems_in(a.configuration, d.part) @@ a.query
  ), placed as (
    select p.start, p.start + char_length(p.part) as stop from parts p join matching m on m.part = p.part
    union all
    select t.start + i - 1, t.start + i - 1 + size from tokens t, asked a, generate_series(1, 2) size,
      generate_series(1, char_length(t.token) + 1 - size) i
    where t.token ~ ('[' || private.unspaced() || ']') and private.plain_words(substr(t.token, i::integer, size)) = any (a.words)
  ), counted as (
    select p.start + before.pairs as start, p.stop + before.pairs + within.pairs as stop
    from placed p, lateral (select case when has_pairs then regexp_count(left(content, p.start::integer), '[\U00010000-\U0010FFFF]') else 0 end as pairs
        from (select octet_length(content) > char_length(content) and content ~ '[\U00010000-\U0010FFFF]' as has_pairs) c) before,
      lateral (select case when octet_length(content) > char_length(content)
        then regexp_count(substr(content, p.start::integer + 1, (p.stop - p.start)::integer), '[\U00010000-\U0010FFFF]') else 0 end as pairs) within
  )
  select coalesce(jsonb_agg(jsonb_build_array(start, stop) order by start, stop), '[]') from counted
$$;

/* Returns cosine bounds: unrelated texts stay below `unrelated`; from `related` on, a passage is found without any query word. For custom
   models they are relative to the announced cosine of unrelated texts. */
create function private.similarity_bounds(model text) returns table (unrelated double precision, related double precision)
  language sql stable set search_path = ''
as $$
  select 0.78, 0.86 where model = 'gte-small'
  union all
  select i.unrelated + (1 - i.unrelated) * 0.12, i.unrelated + (1 - i.unrelated) * 0.44 from private.indexing i where i.model = similarity_bounds.model
    and i.unrelated is not null
$$;

/* Whether the library has passages with model vectors, and embedding a query is worthwhile. A computed column of `libraries`. */
create function public.has_meaning(library public.libraries) returns boolean
  language sql stable set search_path = ''
as $$
  -- In two halves, so that each uses the index.
  select library.allows_models and (
    exists (select from public.passages p where p.library_id = library.id and p.embedding_model < 'lexical-384-v1')
    or exists (select from public.passages p where p.library_id = library.id and p.embedding_model > 'lexical-384-v1'))
$$;
grant execute on function public.has_meaning to authenticated;

create function private.is_time_zone(name text) returns boolean
  language plpgsql stable set search_path = ''
as $$
begin
  perform now() at time zone name;
  return true;
exception when invalid_parameter_value then
  return false;
end
$$;
grant execute on function private.is_time_zone to authenticated, service_role;

/* Returns the first and last day of "2026-03-05", "2026-03", "2026" or a range ("2019..2021", "2019.."); null for other texts. */
create function private.day_range(dated text) returns table (first date, last date)
  language sql immutable strict set search_path = ''
as $$
  select case when pg_input_is_valid(first, 'date') then first::date end,
    case when pg_input_is_valid(last, 'date') then (last::date
      + case char_length(parts.finish) when 4 then interval '1 year' when 7 then interval '1 month' else interval '1 day' end
      - interval '1 day')::date end
  from (select split_part(dated, '..', 1) as start, split_part(dated, '..', case when position('..' in dated) > 0 then 2 else 1 end) as finish) parts,
    lateral (select parts.start || substr('0000-01-01', char_length(parts.start) + 1), parts.finish || substr('0000-01-01', char_length(parts.finish) + 1))
      days (first, last)
  where dated ~ '^(\d{4}(-\d\d){0,2})?(\.\.(\d{4}(-\d\d){0,2})?)?$'
$$;

/* Converts the app's filter `saved` (src/domain/document-filter.ts), with days in `zone` or UTC, to that of private.searched_documents.
   Ignores unknown keys. */
create function private.passage_filters(filters jsonb) returns jsonb
  language sql stable set search_path = ''
as $$
  select case when not filters ? 'saved' then filters else filters - '{saved,zone}'::text[] || jsonb_strip_nulls(jsonb_build_object(
    'collection', case when pg_input_is_valid(saved ->> 'collection', 'uuid') then saved ->> 'collection' end,
    'tags', case when saved ->> 'tag' is not null then jsonb_build_array(saved ->> 'tag') end,
    'kinds', case when saved ->> 'kind' is not null then jsonb_build_array(saved ->> 'kind') end,
    'people', case when saved ->> 'person' is not null then jsonb_build_array(saved ->> 'person') end,
    'since', case saved ->> 'since'
      when 'week' then (date_trunc('day', now(), 'UTC') - interval '7 days')::text
      when 'month' then (date_trunc('day', now(), 'UTC') - interval '30 days')::text
      when 'year' then (date_trunc('day', now(), 'UTC') - interval '365 days')::text
      else ((select first from private.day_range(saved ->> 'since'))::timestamp at time zone zone)::text end,
    'until', (((select last from private.day_range(saved ->> 'until')) + 1)::timestamp at time zone zone - interval '1 millisecond')::text,
    'media_types', to_jsonb(private.type_patterns(saved ->> 'type')),
    'title', saved ->> 'title',
    'author', saved ->> 'author',
    'fields', case when jsonb_typeof(saved -> 'fields') = 'array' then saved -> 'fields' end,
    'dated_from', (select first from private.day_range(saved ->> 'dated')),
    'dated_to', (select last from private.day_range(saved ->> 'dated')),
    'verified_from', case saved ->> 'verified' when 'valid' then today end,
    'verified_to', case saved ->> 'verified' when 'due' then today + private.verification_due_days() end,
    'state', saved ->> 'state')) end
  from (select filters -> 'saved' as saved,
    coalesce(case when private.is_time_zone(filters ->> 'zone') then filters ->> 'zone' end, 'UTC') as zone) given,
    lateral (select (now() at time zone zone)::date as today) clock
$$;

/* Returns the documents to search; null for the whole library. For guests, those in granted collections. filters: see search_passages. */
create function private.searched_documents(library uuid, filters jsonb, is_member boolean) returns uuid[]
  language sql stable set search_path = ''
as $$
  select case when filters <> '{}' or not is_member then array(
    with recursive within (id) as (
      select (filters ->> 'collection')::uuid
      union
      select c.id from public.collections c join within w on c.parent_id = w.id
    ), title (prefixes) as (
      select private.title_query(filters ->> 'title')
    ), types (patterns) as (
      select array_agg(pattern) from jsonb_array_elements_text(filters -> 'media_types') pattern
    ), author (pattern) as (
      select '%' || regexp_replace(left(filters ->> 'author', 300), '([\\%_])', '\\\1', 'g') || '%'
    )
    select d.id from public.documents d, title, types, author
    where d.library_id = library and d.deleted_at is null
      and (is_member or d.collection_id in (select private.granted_collections()))
      and (filters ->> 'collection' is null or d.collection_id in (select id from within))
      and (filters ->> 'place' is null or d.collection_id = (filters ->> 'place')::uuid)
      and (filters -> 'fields' is null or d.id in (select private.documents_with_fields(library, filters -> 'fields')))
      and (filters -> 'kinds' is null or filters -> 'kinds' ? d.kind::text)
      and (filters -> 'people' is null or filters -> 'people' ? d.created_by::text)
      and (filters -> 'tags' is null or exists (
        select from public.document_tags t where t.document_id = d.id and filters -> 'tags' ? t.tag_id::text))
      and (filters ->> 'document' is null or d.id = (filters ->> 'document')::uuid)
      and (filters -> 'documents' is null or filters -> 'documents' ? d.id::text)
      and (filters ->> 'since' is null or d.created_at >= (filters ->> 'since')::timestamptz)
      and (filters ->> 'until' is null or d.created_at <= (filters ->> 'until')::timestamptz)
      and (title.prefixes is null or private.title_words(d.title) @@ title.prefixes)
      and (types.patterns is null or d.mime_type like any (types.patterns))
      and (author.pattern is null or d.author ilike author.pattern)
      and (filters ->> 'dated_from' is null or d.dated >= (filters ->> 'dated_from')::date)
      and (filters ->> 'dated_to' is null or d.dated <= (filters ->> 'dated_to')::date)
      and (filters ->> 'verified_from' is null or d.verified_until >= (filters ->> 'verified_from')::date)
      and (filters ->> 'verified_to' is null or d.verified_until <= (filters ->> 'verified_to')::date)
      and (filters ->> 'state' is null or d.state::text = filters ->> 'state'
        or filters ->> 'state' = 'proposed' and d.proposed_version_id is not null)
  ) end
$$;
comment on function private.searched_documents is $$The documents that a search looks at; null when that is all of the library.
A guest sees those of the collections granted to them.

filters: { collection, place, fields, kinds, tags, people, document, documents, since, until, title, media_types, author, dated_from,
dated_to, verified_from, verified_to, state }. Ids and arrays of ids; a collection includes those inside it, a place does not. fields:
conditions, see documents_with_fields. since and until: timestamps between which a document was added. title: words that words of the title begin with.
media_types: patterns of LIKE. author: a part of what the document says of its author. dated_from, dated_to: the first and the last day
of the date that it bears. verified_from, verified_to: the same of the day until which it is verified. state: `failed` for what could not
be read, `proposed` for what has a change that waits to be approved.$$;

/* Finds passages, best first.

   query            Words. A passage needs at least a seventh of their weight, where rare words weigh more. "a phrase" is
                    required; "or" between phrases makes them alternatives; -word excludes.
   query_embedding  The query as a vector of `model`; vectors of other models are ignored.
   filters          See private.passage_filters.
   correct          Corrects unknown words, and searches an unknown phrase as single words.

   Returns at most three passages per document, unless `document` or `documents` is given; more_in_document counts the rest. matched: the
   query words found in the passage, heading or title; related: found by meaning alone. searched: the corrected query. recognized: the text
   was recognized in an image. score: the sum of word and meaning scores, 0 to 1 each.

   Runs as its owner: the word index is closed to users. So it checks membership itself and returns nothing for other libraries. Guests'
   results are ranked by numbers from the documents they see. */
create function public.search_passages(
  library uuid, query text, query_embedding extensions.vector default null, model text default null,
  filters jsonb default '{}', max_results integer default 20, correct boolean default true
) returns table (
  passage_id uuid, document_id uuid, version_id uuid, title text, kind public.document_kind, mime_type text,
  page integer, heading text, content text, start_offset integer, end_offset integer, highlights jsonb,
  score real, matched text[], related boolean, more_in_document integer, searched text, recognized boolean
)
  -- One generic plan: planning takes as long as searching.
  language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan set jit = off
as $$
#variable_conflict use_column
declare
  asked constant text := left(coalesce(query, ''), 1000);
  -- Phrases and exclusions for websearch_to_tsquery, or null. Only a hyphen after a space excludes, not "back-up" or "so--they say".
  literal constant text := (
    select string_agg(private.in_pairs(
      -- Quoted, because a word of a script without spaces becomes several.
      regexp_replace(regexp_replace(private.without_accents(m.part[1]), '[^[:alnum:]"\s-]|(?<=\w)-', ' ', 'g'), '^-([^"]+)$', '-"\1"')
      ), ' ' order by n)
    from regexp_matches(asked, '-?"[^"]*"|(?<!\S)-[[:alnum:]]+|(?<=")\s+or\s+(?=-?")', 'gi') with ordinality as m (part, n));
  -- The same without phrases, except excluded ones.
  loose constant text := regexp_replace(asked, '(-"[^"]*")|"([^"]*)"', '\1 \2 ', 'g');
  is_member constant boolean := library in (select private.library_ids()); -- otherwise a guest
  included uuid[];
  passage_count double precision;
  average_length double precision;
  likely text[];
  words private.query_word[];
  known private.query_word[];
  whole_weight double precision; -- of all words, including unknown ones
  corrected text := asked;
  word private.query_word;
  ranked private.ranked_passage[] := '{}';
  per_document constant integer := case when filters ?| array['document', 'documents'] then 1000 else 3 end;
  least_share constant double precision := 0.15; -- of the query's weight
  wanted constant integer := least(greatest(max_results, 1), 100);
begin
  if library not in (select private.library_ids('guest')) then return; end if;
  filters := private.passage_filters(filters);
  included := private.searched_documents(library, filters, is_member);
  likely := private.query_languages(library, asked, is_member);
  if is_member then
    select sum(v.passages) filter (where v.term = 0),
        sum(v.occurrences) filter (where v.term = size.term)::float8 / nullif(sum(v.passages) filter (where v.term = size.term), 0)
      into passage_count, average_length
      from (select case when cardinality(likely) = 1 then private.term(library, likely[1], '') else 0 end as term) size,
        private.library_vocabulary v
      where v.library_id = library and v.word = '' and v.term in (0, size.term);
  else
    select count(*), avg(t.length) into passage_count, average_length
      from private.passage_terms t where t.document_id = any (included);
  end if;
  if coalesce(passage_count, 0) = 0 then return; end if;

  words := array(select w from private.query_words(
    library, regexp_replace(asked, '-"[^"]*"|(?<!\S)-[[:alnum:]]+|(?<=")\s+or\s+(?=")', ' ', 'gi'),
    case when literal !~* '\sor\s' then regexp_split_to_array(
      private.in_pairs(private.plain_words(lower(regexp_replace(literal, '-("[^"]*"|\S+)', ' ', 'g')))), '\s+') else '{}' end,
    case when not is_member then included end, passage_count, correct, likely) w);
  foreach word in array words loop
    if word.word <> private.plain_words(lower(word.typed)) then
      corrected := regexp_replace(corrected, '\m' || word.typed || '\M', word.word, 'gi');
    end if;
  end loop;
  known := array(select w from unnest(words) w where w.passages > 0);
  select sum(w.weight) into whole_weight from unnest(words) w;
  if not exists (select from unnest(words) w where w.is_required and w.passages = 0) then
    ranked := array(
      select r from private.rank_by_words(known, passage_count, average_length, included, literal, 300) r
      order by r.score desc, r.passage_id);
  end if;
  if cardinality(ranked) = 0 and correct and loose <> asked then
    return query select * from public.search_passages(library, loose, query_embedding, model, filters, max_results);
    return;
  end if;

  if query_embedding is not null and literal is null then
    -- Scan until sixty passages of this library are found, not only the first forty overall. 200, because 100 missed one of the ten
    -- nearest.
    perform set_config('hnsw.iterative_scan', 'strict_order', true), set_config('hnsw.ef_search', '200', true);
  end if;
  return query
    with weighted as materialized (
      select w.terms, w.weight, w.is_extra, n,
        case w.word when private.plain_words(lower(w.typed)) then w.typed else w.word end as word
      from unnest(known) with ordinality as w (typed, word, terms, passages, weight, is_beginning, is_required, own, is_extra, n)
    ), by_words as materialized (
      select r.id, r.score, coalesce(array_agg(w.word order by w.n) filter (where not w.is_extra), array_agg(w.word order by w.n)) as words
      from (
        -- "offset 0": otherwise the words are looked up in the whole index instead of these passages.
        select r.passage_id as id, r.score, t.terms
        from unnest(ranked) r, lateral (select t.terms from private.passage_terms t where t.passage_id = r.passage_id offset 0) t
        offset 0
      ) r join weighted w on w.terms && r.terms
      group by r.id, r.score having sum(w.weight) >= least_share * whole_weight
    ), in_company as (
      select c.passage_id as id, c.score
      from private.in_company(ranked[:100], average_length, known) c where literal is null
    ), nearest as (
      select n.passage_id as id, n.similarity from private.nearest_passages(library, model, query_embedding, 60, included, null) n
      where query_embedding is not null and literal is null
    ), by_meaning as (
      select n.id, n.similarity, (n.similarity - m.unrelated) / (1 - m.unrelated) as score, m.related
      from nearest n, private.similarity_bounds(model) m where n.similarity > m.unrelated
    ), fused as (
      select coalesce(w.id, m.id) as id, w.words, w.id is null as related,
        coalesce(coalesce(c.score * max(w.score) over (), w.score / 1.92) / nullif(whole_weight, 0), 0) + coalesce(m.score, 0) as score
      from by_words w left join in_company c on c.id = w.id full join by_meaning m on m.id = w.id
      where w.id is not null or m.similarity >= m.related
    ), placed as (
      select f.*, p.document_id, p.ordinal,
        row_number() over (partition by p.document_id order by f.score desc, p.ordinal) as place
      from fused f, lateral (
        select p.document_id, p.ordinal from public.passages p where p.id = f.id and p.library_id = library offset 0) p
    ), listed as (
      select l.*, max(l.place) over (partition by l.document_id) as shown
      from (
        select * from placed where place <= per_document order by score desc, document_id, ordinal limit wanted) l
    ), others as (
      select m.document_id, count(*) as n from (
        select t.document_id, t.passage_id
        from (
          select t.* from private.passage_terms t
          where t.document_id in (select l.document_id from listed l where not l.related) offset 0
        ) t join weighted w on w.terms && t.terms
        group by t.document_id, t.passage_id having sum(w.weight) >= least_share * whole_weight
      ) m
      where literal is null or private.has_literally(m.passage_id, literal)
      group by m.document_id
    )
    select p.id, p.document_id, p.version_id, d.title, d.kind, d.mime_type, p.page, p.heading, p.content, p.start_offset,
      p.end_offset, case when l.related then '[]' else private.highlights(p.content, p.language, known) end,
      l.score::real, coalesce(l.words, '{}'), l.related, greatest(coalesce(o.n, 0) - l.shown, 0)::integer, corrected,
      private.is_recognized(p.version_id, p.page)
    from listed l
    join public.passages p on p.id = l.id
    join public.documents d on d.id = p.document_id
    left join others o on o.document_id = l.document_id
    order by l.score desc, l.document_id, l.ordinal;
end
$$;
grant execute on function public.search_passages to authenticated;

/* Searches all of the caller's libraries. Scores are comparable across libraries: they are shares of what a passage can reach. */
create function public.search_everywhere(query text, max_results integer default 20) returns table (
  passage_id uuid, document_id uuid, version_id uuid, title text, kind public.document_kind, mime_type text,
  page integer, heading text, content text, start_offset integer, end_offset integer, highlights jsonb,
  score real, matched text[], related boolean, more_in_document integer, searched text, recognized boolean, library_id uuid, library_name text
)
  language sql stable set search_path = ''
as $$
  select s.*, l.id, l.name
  from public.libraries l, lateral public.search_passages(l.id, search_everywhere.query, max_results => search_everywhere.max_results) s
  where l.id in (select private.library_ids('guest'))
  order by s.score desc, s.passage_id
  limit least(greatest(search_everywhere.max_results, 1), 100)
$$;
grant execute on function public.search_everywhere to authenticated;
