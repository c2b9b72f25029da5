-- Passages in the order of BM25, and what the best of them have in common
create type private.ranked_passage as (passage_id uuid, document_id uuid, score double precision);

/* What a word adds to a passage's score at most: the rarer it is, the more (idf times k1 + 1, where k1 is 1.6). */
create function private.word_weight(passages_with_it double precision, passage_count double precision, times integer default 1)
  returns double precision
  language sql immutable parallel safe set search_path = ''
as $$ select 2.6::float8 * times * ln(1 + (passage_count - passages_with_it + 0.5) / (passages_with_it + 0.5)) $$;

/* The best passages by BM25 (k1 1.6, b 0.75), at least `depth` of them where there are so many.

   Passages that have a rare word are all ranked. Passages with frequent words alone are ranked only if they could be among the
   best, and then in steps, because reading all would take too long: first those that are mainly about all these words, then those
   that have them all, then the same without the most frequent ones, until there are enough.

   words: passages that lack a required one are left out; included: the documents to look at, null for all; literal: a text for
   websearch_to_tsquery that each passage must satisfy, or null. */
create function private.rank_by_words(
  words private.query_word[], passage_count double precision, average_length double precision, included uuid[], literal text,
  depth integer
) returns setof private.ranked_passage
  language plpgsql stable set search_path = '' set jit = off
as $$
declare
  most_rows constant double precision := 150000.0 / (cardinality(words) + 2); -- are ranked in about 50 ms
  certain constant integer := 100; -- so many must be the best of all
  word private.query_word;
  counted text;
  score text := '0::float8';
  rare integer[] := '{}';
  rare_rows double precision := 0;
  frequent private.query_word[] := '{}'; -- the rarest first
  frequent_most double precision := 0; -- what they add together at most
  expected double precision := passage_count; -- how many passages have all of them, if they are independent of each other
  statement text;
  hits private.ranked_passage[] := '{}';
  step private.ranked_passage[] := '{}';
begin
  foreach word in array array(select w from unnest(words) w order by (w).passages, (w).word) loop
    select string_agg(format('coalesce(get_byte(counts, array_position(terms, %s) - 1), 0)', t), ' + ')
      into counted from unnest(word.terms) t;
    score := score || format(' + %s::float8 * (1 - k / (k + (%s)))',
      private.word_weight(word.passages, passage_count, word.times), counted);
    rare_rows := rare_rows + word.passages;
    if rare_rows <= most_rows then
      rare := rare || word.terms;
    else
      frequent := frequent || word;
      frequent_most := frequent_most + private.word_weight(word.passages, passage_count, word.times);
      expected := expected * word.passages / passage_count;
    end if;
  end loop;
  -- "offset 0": k is computed once for each passage, not once for each word.
  statement := format($sql$
    select coalesce(array_agg((passage_id, document_id, score)::private.ranked_passage order by score desc, passage_id), '{}')
    from (select * from (
      select passage_id, document_id, %s as score from (
        select passage_id, document_id, terms, counts, 0.4::float8 + %s::float8 * length as k from private.passage_terms t
        where (%%s) %s offset 0) candidates
      order by 3 desc, 1 offset 0) ranked
      %s limit %s) best
    $sql$, score, 1.2 / greatest(average_length, 1),
    case when included is null then '' else 'and document_id = any ($1)' end,
    -- Of the best first: a phrase is looked for in the texts themselves.
    case when literal is null then '' else 'where private.has_literally(passage_id, $2)' end, depth);

  if exists (select from unnest(words) w where w.is_required) then
    execute format(statement, (
      select string_agg(format('terms && %L', w.terms), ' and ') from unnest(words) w where w.is_required
    )) into hits using included, literal;
    return query select h.* from unnest(hits) h;
    return;
  end if;
  if cardinality(rare) > 0 then
    execute format(statement, format('terms && %L', rare)) into hits using included, literal;
  end if;
  if cardinality(frequent) > 0 and (cardinality(hits) < certain or (hits[certain]).score < frequent_most) then
    for number in reverse cardinality(frequent)..1 loop
      -- Words that hardly ever come together are not looked for together.
      if number = 1 or expected * 10 >= depth then
        execute format(statement, (
          select string_agg(format('terms && %L', array(select ~t from unnest((w).terms) t)), ' and ')
          from unnest(frequent[:number]) w)) into step using included, literal;
        if cardinality(step) < depth then
          execute format(statement, (
            select string_agg(format('terms && %L', (w).terms), ' and ')
            from unnest(frequent[:number]) w)) into step using included, literal;
        end if;
      end if;
      exit when cardinality(step) >= depth;
      expected := expected / greatest((frequent[number]).passages / passage_count, 0.001);
    end loop;
  end if;
  return query select distinct on (h.passage_id) h.* from unnest(hits || step) h order by h.passage_id;
end
$$;

-- Whether a passage, with its heading and its document's title, has these phrases, and not what is ruled out.
create function private.has_literally(passage uuid, literal text) returns boolean
  language sql stable set search_path = ''
as $$
  select (p.search || to_tsvector(c.configuration, private.plain_words(d.title)))
    @@ websearch_to_tsquery(c.configuration, literal)
  from public.passages p join public.documents d on d.id = p.document_id,
    private.text_configuration(p.language) as c (configuration)
  where p.id = passage
$$;

/* How much each of these passages has of what the ten best have in common, 0 to 1: pseudo-relevance feedback. Of the stems that
   two or more of the ten have, and that are no frequent words of the library, the thirty heaviest are a second query, by which the
   passages are ranked once more. hits: the best first. */
create function private.common_ground(
  library uuid, hits private.ranked_passage[], passage_count double precision, average_length double precision
) returns table (passage_id uuid, share double precision)
  language sql stable set search_path = ''
as $$
  with pool as materialized (
    select h.passage_id, h.score, n, u.term,
      1 - k / (k + get_byte(t.counts, u.place::integer - 1)) as saturation
    from unnest(hits) with ordinality as h (passage_id, document_id, score, n)
    join private.passage_terms t on t.passage_id = h.passage_id,
      unnest(t.terms[:octet_length(t.counts)]) with ordinality as u (term, place),
      lateral (select 0.4::float8 + 1.2::float8 / greatest(average_length, 1) * t.length as k) l
  ), shared as (
    select term, sum(score * saturation) as weight from pool where n <= 10 group by term having count(*) > 1
  ), counted as (
    select s.term, s.weight, sum(v.passages) as n
    from shared s join private.library_vocabulary v on v.library_id = library and v.term = s.term
    group by s.term, s.weight having sum(v.passages) between 2 and passage_count * 0.1
  ), heaviest as (
    select c.term, c.weight * i.weight * i.weight as weight
    from counted c, lateral (select private.word_weight(c.n, passage_count) as weight) i
    order by c.weight * i.weight desc, c.term limit 30
  ), judged as (
    select p.passage_id, sum(p.saturation * h.weight) as weight from pool p join heaviest h on h.term = p.term group by p.passage_id
  )
  select j.passage_id, j.weight / max(j.weight) over () from judged j
$$;
