-- search_passages says which passages were recognized in a picture
drop function public.search_everywhere(text, integer);
drop function public.search_passages(uuid, text, extensions.vector, text, jsonb, integer, boolean);

/* The passages that a query finds, the best first.

   query            words, of which a passage need not have all, but enough: a seventh of their weight, where rare words weigh
                    more. "a phrase" is required as it stands, one of several with "or" between them; -word rules passages out.
   query_embedding  the query as a vector of `model`; vectors of other models are not looked at.
   filters          those of private.searched_documents.
   correct          whether words that the library does not have are corrected to those that it has, and a phrase that it does
                    not have is searched as single words.

   At most three passages of a document, unless `document` or `documents` is given; more_in_document says how many more have the
   words. matched: the words that stand in the passage, its heading or its title; related: it has none of them and was found by
   its meaning. searched: the query with its corrections. recognized: the text was recognized in a picture. score: 0 to 1 for
   each of words and meaning, added up.

   Runs as its owner: the index of words is closed to everybody. So it asks for membership itself, and a library that the caller
   is not in has no passages. What a guest finds is ranked by numbers of the documents that they see alone. */
create function public.search_passages(
  library uuid, query text, query_embedding extensions.vector(384) default null, model text default null,
  filters jsonb default '{}', max_results integer default 20, correct boolean default true
) returns table (
  passage_id uuid, document_id uuid, version_id uuid, title text, kind public.document_kind, mime_type text,
  page integer, heading text, content text, start_offset integer, end_offset integer, highlights jsonb,
  score real, matched text[], related boolean, more_in_document integer, searched text, recognized boolean
)
  -- One plan for all calls: making it takes as long as a search does.
  language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan set jit = off
as $$
#variable_conflict use_column
declare
  asked constant text := left(coalesce(query, ''), 1000);
  -- The phrases and what is ruled out, for websearch_to_tsquery; null without any. A hyphen within a word rules nothing out.
  literal constant text := (
    select string_agg(regexp_replace(private.without_accents(m.part[1]), '[^[:alnum:]"\s-]|(?<=\w)-', ' ', 'g'), ' ' order by n)
    from regexp_matches(asked, '-?"[^"]*"|(?<![[:alnum:]])-[[:alnum:]]+|(?<=")\s+or\s+(?=-?")', 'gi') with ordinality as m (part, n));
  is_member constant boolean := library in (select private.library_ids()); -- or else a guest
  included uuid[];
  passage_count double precision;
  average_length double precision;
  words private.query_word[];
  known private.query_word[];
  whole_weight double precision; -- of all words together, of those that the library does not have as well
  corrected text := asked;
  word private.query_word;
  ranked private.ranked_passage[] := '{}';
  per_document constant integer := case when filters ?| array['document', 'documents'] then 1000 else 3 end;
  least_share constant double precision := 0.15; -- of the query's weight must a passage have
  wanted constant integer := least(greatest(max_results, 1), 100);
begin
  if library not in (select private.library_ids('guest')) then return; end if;
  included := private.searched_documents(library, filters, is_member);
  if is_member then
    select sum(v.passages), sum(v.occurrences)::float8 / nullif(sum(v.passages), 0) into passage_count, average_length
      from private.library_vocabulary v where v.library_id = library and v.word = '';
  else
    select count(*), avg(t.length) into passage_count, average_length
      from private.passage_terms t where t.document_id = any (included);
  end if;
  if coalesce(passage_count, 0) = 0 then return; end if;

  words := array(select w from private.query_words(
    library, regexp_replace(asked, '-"[^"]*"|(?<![[:alnum:]])-[[:alnum:]]+|(?<=")\s+or\s+(?=")', ' ', 'gi'),
    case when literal !~* '\sor\s' then regexp_split_to_array(
      private.plain_words(lower(regexp_replace(literal, '-("[^"]*"|\S+)', ' ', 'g'))), '\s+') else '{}' end,
    case when not is_member then included end, passage_count, correct) w);
  foreach word in array words loop
    if word.word <> private.plain_words(lower(word.typed)) then
      corrected := regexp_replace(corrected, '\m' || word.typed || '\M', word.word, 'gi');
    end if;
  end loop;
  known := array(select w from unnest(words) w where w.passages > 0);
  select sum(private.word_weight(w.passages, passage_count, w.times)) into whole_weight from unnest(words) w;
  if not exists (select from unnest(words) w where w.is_required and w.passages = 0) then
    ranked := array(
      select r from private.rank_by_words(known, passage_count, average_length, included, literal, 300) r
      order by r.score desc, r.passage_id);
  end if;
  if cardinality(ranked) = 0 and correct and asked ~ '"' then
    return query
      select * from public.search_passages(library, replace(asked, '"', ' '), query_embedding, model, filters, max_results);
    return;
  end if;

  if query_embedding is not null and literal is null then
    -- The index looks on until sixty passages of this library are found, and not only among its first forty of all. 200: with
    -- 100 it missed one in ten of the ten nearest.
    perform set_config('hnsw.iterative_scan', 'strict_order', true), set_config('hnsw.ef_search', '200', true);
  end if;
  return query
    with weighted as materialized (
      select w.terms, private.word_weight(w.passages, passage_count, w.times) as weight, n,
        case w.word when private.plain_words(lower(w.typed)) then w.typed else w.word end as word
      from unnest(known) with ordinality as w (typed, word, terms, passages, times, is_beginning, is_required, n)
    ), by_words as materialized (
      select r.id, r.score, array_agg(w.word order by w.n) as words
      from (
        -- "offset 0": otherwise the words are looked up in the whole index, not in these passages.
        select r.passage_id as id, r.score, t.terms
        from unnest(ranked) r, lateral (select t.terms from private.passage_terms t where t.passage_id = r.passage_id offset 0) t
        offset 0
      ) r join weighted w on w.terms && r.terms
      group by r.id, r.score having sum(w.weight) >= least_share * whole_weight
    ), common_ground as (
      select g.passage_id as id, g.share * (select max(b.score) from by_words b) as score
      from private.common_ground(library, (
        select array_agg((b.id, null, b.score)::private.ranked_passage order by b.score desc, b.id)
        from (select * from by_words b order by b.score desc, b.id limit 60) b), passage_count, average_length) g
      -- What a guest's passages have in common is weighed by the whole library's numbers, so it is left out.
      where is_member and literal is null
    ), nearest as (
      select p.id, 1 - (p.embedding operator(extensions.<=>) query_embedding) as similarity from public.passages p
      where query_embedding is not null and literal is null and p.library_id = library and p.embedding_model = model
        and exists (select from private.passage_terms t where t.passage_id = p.id)
        and (included is null or p.document_id = any (included))
      order by p.embedding operator(extensions.<=>) query_embedding limit 60
    ), by_meaning as (
      select n.id, n.similarity, (n.similarity - m.unrelated) / (1 - m.unrelated) as score, m.related
      from nearest n, private.similarity_bounds(model) m where n.similarity > m.unrelated
    ), fused as (
      select coalesce(w.id, m.id) as id, w.words, w.id is null as related,
        coalesce((w.score + coalesce(g.score, 0) / 3) / nullif(whole_weight * 4 / 3, 0), 0) + coalesce(m.score, 0) as score
      from by_words w left join common_ground g on g.id = w.id full join by_meaning m on m.id = w.id
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

/* The same in all libraries that the caller is in. The scores of two libraries can be compared: they are shares of what a passage
   can reach. */
create function public.search_everywhere(query text, max_results integer default 20) returns table (
  passage_id uuid, document_id uuid, version_id uuid, title text, kind public.document_kind, mime_type text,
  page integer, heading text, content text, start_offset integer, end_offset integer, highlights jsonb,
  score real, matched text[], related boolean, more_in_document integer, searched text, recognized boolean, library_id uuid, library_name text
)
  language sql stable security definer set search_path = ''
as $$
  select s.*, l.id, l.name
  from public.libraries l, lateral public.search_passages(l.id, search_everywhere.query, max_results => search_everywhere.max_results) s
  where l.id in (select private.library_ids('guest'))
  order by s.score desc, s.passage_id
  limit least(greatest(search_everywhere.max_results, 1), 100)
$$;
grant execute on function public.search_passages, public.search_everywhere to authenticated;
