-- Passages by words and meaning.

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
  -- Phrases and exclusions for websearch_to_tsquery, or null. Only a hyphen after a space excludes, not "back-up" or "so--they say", and not
  -- a single letter: "ls -l" names an option.
  literal constant text := (
    select string_agg(private.in_pairs(
      -- Quoted, because a word of a script without spaces becomes several.
      regexp_replace(regexp_replace(private.without_accents(m.part[1]), '[^[:alnum:]"\s-]|(?<=\w)-', ' ', 'g'), '^-([^"]+)$', '-"\1"')
      ), ' ' order by n)
    from regexp_matches(asked, '-?"[^"]*"|(?<!\S)-[[:alnum:]]{2,}|(?<=")\s+or\s+(?=-?")', 'gi') with ordinality as m (part, n));
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
  least_weight double precision; -- that a passage needs: unknown words count like the rarest known one, or two would hide a small library
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
    library, regexp_replace(asked, '-"[^"]*"|(?<!\S)-[[:alnum:]]{2,}|(?<=")\s+or\s+(?=")', ' ', 'gi'),
    case when literal !~* '\sor\s' then regexp_split_to_array(
      private.in_pairs(private.plain_words(lower(regexp_replace(literal, '-("[^"]*"|\S+)', ' ', 'g')))), '\s+') else '{}' end,
    case when not is_member then included end, passage_count, correct, likely) w);
  foreach word in array words loop
    if word.word <> private.plain_words(lower(word.typed)) then
      corrected := regexp_replace(corrected, '\m' || word.typed || '\M', word.word, 'gi');
    end if;
  end loop;
  known := array(select w from unnest(words) w where w.passages > 0);
  select sum(w.weight), 0.15 * sum(least(w.weight, (select max(k.weight) from unnest(known) k))) into whole_weight, least_weight from unnest(words) w;
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
      group by r.id, r.score having sum(w.weight) >= least_weight
    ), rank_by_neighbours as (
      select c.passage_id as id, c.score
      from private.rank_by_neighbours(ranked[:100], average_length, known) c where literal is null
    ), nearest as (
      select n.passage_id as id, n.similarity from private.nearest_passages(library, model, query_embedding, 60, included, null) n
      where query_embedding is not null and literal is null
    ), by_meaning as (
      select n.id, n.similarity, (n.similarity - m.unrelated) / (1 - m.unrelated) as score, m.related
      from nearest n, private.similarity_bounds(model) m where n.similarity > m.unrelated
    ), fused as (
      select coalesce(w.id, m.id) as id, w.words, w.id is null as related,
        coalesce(coalesce(c.score * max(w.score) over (), w.score / 1.92) / nullif(whole_weight, 0), 0) + coalesce(m.score, 0) as score
      from by_words w left join rank_by_neighbours c on c.id = w.id full join by_meaning m on m.id = w.id
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
        group by t.document_id, t.passage_id having sum(w.weight) >= least_weight
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
