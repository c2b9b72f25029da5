-- Passages in the order of BM25, and what the best of them have in common
create type private.ranked_passage as (passage_id uuid, document_id uuid, score double precision);

/* What a word adds to a passage's score at most: the rarer it is, the more (idf times k1 + 1, where k1 is 1.6). */
create function private.word_weight(passages_with_it double precision, passage_count double precision, times integer default 1)
  returns double precision
  language sql immutable parallel safe set search_path = ''
as $$ select 2.6::float8 * times * ln(1 + (passage_count - passages_with_it + 0.5) / (passages_with_it + 0.5)) $$;

/* The best passages by BM25 (k1 1.6, b 0.75), at least `depth` of them where there are so many.

   Passages that have one of the rarest words are ranked first. If those that have none of these could not be among the best
   hundred, that is all. Else passages with more frequent words are ranked as well; where those are too many to read, in steps:
   first those that are mainly about all the frequent words, then those that have them all, then the same without the most
   frequent ones, until there are enough.

   words: passages that lack a required one are left out; included: the documents to look at, null for all; literal: a text for
   websearch_to_tsquery that each passage must satisfy, or null. */
create function private.rank_by_words(
  words private.query_word[], passage_count double precision, average_length double precision, included uuid[], literal text,
  depth integer
) returns setof private.ranked_passage
  language plpgsql stable set search_path = '' set jit = off
as $$
declare
  certain constant integer := 100; -- so many are the best of all
  most_rows constant double precision := 75000.0 / (cardinality(words) + 2); -- are ranked in about 25 ms
  sorted constant private.query_word[] := array(select w from unnest(words) w order by w.passages, w.word);
  score text;
  statement text;
  budget double precision;
  rare integer; -- how many of the words, the rarest first, are looked for
  frequent private.query_word[];
  frequent_most double precision; -- what the others add together at most
  expected double precision; -- how many passages have all of them, if they are independent of each other
  hits private.ranked_passage[] := '{}';
  step private.ranked_passage[] := '{}';
begin
  if cardinality(sorted) = 0 then return; end if;
  select string_agg(format('%s::float8 * (1 - k / (k + (%s)))', private.word_weight(w.passages, passage_count, w.times), (
      select string_agg(format('coalesce(get_byte(counts, array_position(terms, %s) - 1), 0)', t), ' + ') from unnest(w.terms) t)
    ), ' + ') into score from unnest(sorted) w;
  -- The inner "offset 0": k is computed once for each passage, not once for each word. The outer: a phrase is looked for in the
  -- texts themselves, those of the best passages first.
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
      coalesce(sum(private.word_weight(w.passages, passage_count, w.times)) filter (where w.upto > budget), 0)
      into rare, frequent_most
      from (select w.passages, w.times, sum(w.passages) over (order by n) as upto
        from unnest(sorted) with ordinality as w (typed, word, terms, passages, times, is_beginning, is_required, n)) w;
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
    -- Words that hardly ever come together are not looked for together.
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
