-- BM25 ranking, and feedback from the best passages.

create type private.ranked_passage as (passage_id uuid, document_id uuid, score double precision);

-- Returns the weight of a word's rarity.
create function private.word_weight(passages_with_it double precision, passage_count double precision) returns double precision
  language sql immutable parallel safe set search_path = ''
as $$ select 2.6::float8 * ln(1 + (passage_count - passages_with_it + 0.5) / (passages_with_it + 0.5)) $$;

-- Returns BM25's k, the occurrences for half of a word's weight, with k1 = 1.2 and b = 0.7.
create function private.bm25_k(length double precision, average_length double precision) returns double precision
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
        select passage_id, document_id, terms, counts, private.bm25_k(length, %s) as k from private.passage_terms t
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
create function private.rank_by_neighbours(hits private.ranked_passage[], average_length double precision, words private.query_word[])
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
      private.bm25_k(t.length, greatest(average_length, 1)) as k, p.embedding, p.embedding_model
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
