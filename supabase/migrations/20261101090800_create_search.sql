-- Passages by words and by meaning together, and what else a document is close to

/* Where the words of a query stand in a text: [[start, end], …] in UTF-16 units, so that JavaScript can slice: there a
   character beyond the basic plane counts twice. Angle brackets are taken for other characters of the same length first:
   the text parser would swallow what looks like a tag. */
create function private.highlights(content text, query tsquery) returns jsonb
  language sql stable parallel safe set search_path = ''
as $$
  with marked as (
    select ts_headline('pg_catalog.english', translate(content, E'<>\x01\x02', '‹›  '), query,
      E'HighlightAll=true, StartSel="\x01", StopSel="\x02"') as text, content ~ '[\U00010000-\U0010FFFF]' as has_pairs
  ), pieces as (
    select ordinality as n, split_part(piece, E'\x02', 1) as hit, split_part(piece, E'\x02', 2) as rest, has_pairs
    from marked, string_to_table(marked.text, E'\x01') with ordinality as t (piece, ordinality)
  ), measured as (
    select n,
      char_length(hit) + case when has_pairs then regexp_count(hit, '[\U00010000-\U0010FFFF]') else 0 end as hit,
      char_length(rest) + case when has_pairs then regexp_count(rest, '[\U00010000-\U0010FFFF]') else 0 end as rest
    from pieces
  ), placed as (
    select n, hit, sum(hit + rest) over (order by n) - hit - rest as start from measured
  )
  select coalesce(jsonb_agg(jsonb_build_array(start, start + hit) order by n), '[]') from placed where n > 1
$$;

/* Full text and vectors each give their sixty best; reciprocal rank fusion makes one list of them: what stands high in
   both comes first, and neither scale needs to be translated into the other.

   query            words; "a phrase", or, -not as in websearch_to_tsquery. All words first; some of them, or words that
                    begin like them, only when too few passages have all.
   query_embedding  the query as a vector of `model`; without it both are the lexical ones. Vectors of other models are
                    not looked at: their numbers mean nothing to one another.
   filters          { collection, kinds, tags, people, document, since, until }: ids, arrays of ids, timestamps; a
                    collection includes those inside it.
   Why a passage is there: text_rank and vector_rank (1 is best, null is not found that way), similarity (cosine).

   Runs as its owner, because under row security Postgres may not use the text index (its operator is not leak-proof); so
   it asks for membership itself, once, and a library that the caller is not in has no passages. */
create function public.search_passages(
  library uuid, query text, query_embedding extensions.vector(384) default null, model text default 'lexical-384-v1',
  filters jsonb default '{}', max_results integer default 20
) returns table (
  passage_id uuid, document_id uuid, version_id uuid, title text, kind public.document_kind, mime_type text,
  page integer, heading text, content text, start_offset integer, end_offset integer, highlights jsonb,
  score real, text_rank integer, vector_rank integer, similarity real
)
  language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  english tsquery := websearch_to_tsquery('pg_catalog.english', left(query, 1000));
  every_word tsquery := english || websearch_to_tsquery('pg_catalog.simple', left(query, 1000));
  wider tsquery;
  shown tsquery := every_word; -- all that may be highlighted
  -- "a phrase" and -not are orders, not hints: then the vectors may only rank what the words allow.
  literal constant boolean := query ~ '"|(^|\s)-\w';
  vector extensions.vector(384) := query_embedding;
  -- Below this two texts have nothing to do with each other: gte-small puts even strangers above 0.7, and by chance alone
  -- lexical vectors reach 0.2. A passage that has the words may be less similar.
  least_similarity constant real := case model when 'lexical-384-v1' then 0.3 else 0.78 end;
  excluded uuid[];
  included uuid[]; -- null: every document
  is_member boolean := library in (select private.library_ids()); -- or else a guest
  text_hits uuid[] := '{}';
begin
  if library not in (select private.library_ids('guest')) then return; end if;

  if query_embedding is null and model = 'lexical-384-v1' and numnode(english) > 0 then
    vector := private.lexical_embedding(left(query, 1000));
  end if;

  excluded := array(select d.id from public.documents d where d.library_id = library and d.deleted_at is not null);
  if filters <> '{}' or not is_member then
    included := array(
      with recursive within (id) as (
        select (filters ->> 'collection')::uuid
        union
        select c.id from public.collections c join within w on c.parent_id = w.id
      )
      select d.id from public.documents d
      where d.library_id = library
        and (is_member or d.collection_id in (select private.granted_collections()))
        and (filters ->> 'collection' is null or d.collection_id in (select id from within))
        and (filters -> 'kinds' is null or filters -> 'kinds' ? d.kind::text)
        and (filters -> 'people' is null or filters -> 'people' ? d.created_by::text)
        and (filters -> 'tags' is null or exists (
          select from public.document_tags t where t.document_id = d.id and filters -> 'tags' ? t.tag_id::text))
        and (filters ->> 'document' is null or d.id = (filters ->> 'document')::uuid)
        and (filters ->> 'since' is null or d.created_at >= (filters ->> 'since')::timestamptz)
        and (filters ->> 'until' is null or d.created_at <= (filters ->> 'until')::timestamptz)
    );
  end if;

  -- Ranking reads each candidate's whole word list, so their number is bounded.
  if numnode(every_word) > 0 then
    text_hits := array(
      select id from (
        select p.id, p.search from public.passages p
        where p.library_id = library and p.search @@ every_word
          and p.document_id <> all (excluded) and (included is null or p.document_id = any (included))
        limit 1000
      ) candidates order by ts_rank_cd(search, every_word, 1) desc, id limit 60);
    -- Too few: then some of the words will do, and at last words that begin like them.
    if not literal and numnode(english) > 0 then
      foreach wider in array array[
        replace(english::text, ' & ', ' | ')::tsquery,
        regexp_replace(replace(english::text, ' & ', ' | '), '(''(?:[^'']|'''')+'')', '\1:*', 'g')::tsquery
      ] loop
        exit when cardinality(text_hits) >= 10;
        shown := shown || wider;
        text_hits := text_hits || array(
          select id from (
            select p.id, p.search from public.passages p
            where p.library_id = library and p.search @@ wider and p.id <> all (text_hits)
              and p.document_id <> all (excluded) and (included is null or p.document_id = any (included))
            limit 1000
          ) candidates order by ts_rank_cd(search, wider, 1) desc, id limit 60 - cardinality(text_hits));
      end loop;
    end if;
  end if;

  -- The index looks on until sixty passages of this library are found, and not only among its first forty of all. 200: with
  -- 100 it missed one in ten of the ten nearest.
  perform set_config('hnsw.iterative_scan', 'strict_order', true), set_config('hnsw.ef_search', '200', true);
  return query
    with by_text as (
      select id, n::integer as rank from unnest(text_hits) with ordinality as t (id, n)
    ), nearest as (
      select p.id, p.embedding operator(extensions.<=>) vector as distance from public.passages p
      where vector is not null and p.library_id = library and p.embedding_model = model
        and p.document_id <> all (excluded) and (included is null or p.document_id = any (included))
        and (not literal or p.search @@ every_word)
      order by p.embedding operator(extensions.<=>) vector limit 60
    ), by_vector as (
      select id, row_number() over (order by distance)::integer as rank, (1 - distance)::real as similarity
      from nearest where 1 - distance >= least_similarity or id = any (text_hits)
    ), fused as (
      select coalesce(t.id, v.id) as id, t.rank as text_rank, v.rank as vector_rank, v.similarity,
        (coalesce(1.0 / (60 + t.rank), 0) + coalesce(1.0 / (60 + v.rank), 0))::real as score
      from by_text t full join by_vector v on v.id = t.id
      order by score desc, similarity desc nulls last, id
      limit least(greatest(max_results, 1), 100)
    )
    select p.id, p.document_id, p.version_id, d.title, d.kind, d.mime_type, p.page, p.heading, p.content, p.start_offset,
      p.end_offset, private.highlights(p.content, shown),
      f.score, f.text_rank, f.vector_rank, f.similarity
    from fused f
    join public.passages p on p.id = f.id
    join public.documents d on d.id = p.document_id
    order by f.score desc, f.similarity desc nulls last, f.id;
end
$$;

/* The library's documents nearest to this one: each of its first passages votes for the passages nearest to it. Runs as its
   owner for the vector index; asks for membership itself. */
create function public.related_documents(document uuid, max_results integer default 6)
  returns table (document_id uuid, title text, kind public.document_kind, similarity real)
  language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  library uuid;
  is_member boolean; -- or else a guest
begin
  select d.library_id, d.library_id in (select private.library_ids()) into library, is_member
  from public.documents d where d.id = document and d.deleted_at is null;
  if is_member is not true then
    perform from public.documents d where d.id = document and d.collection_id in (select private.granted_collections());
    if not found then return; end if;
  end if;
  perform set_config('hnsw.iterative_scan', 'strict_order', true), set_config('hnsw.ef_search', '200', true);
  return query
    with own as (
      select p.embedding, p.embedding_model from public.passages p where p.document_id = document order by p.ordinal limit 12
    ), neighbours as (
      select n.document_id, n.distance from own, lateral (
        select p.document_id, p.embedding operator(extensions.<=>) own.embedding as distance from public.passages p
        where p.library_id = library and p.document_id <> document and p.embedding_model = own.embedding_model
        order by p.embedding operator(extensions.<=>) own.embedding limit 10
      ) n
    ), votes as (
      select n.document_id, sum(1 - n.distance) as weight, max(1 - n.distance)::real as similarity
      from neighbours n group by n.document_id
    )
    select d.id, d.title, d.kind, v.similarity from votes v
    join public.documents d on d.id = v.document_id and d.deleted_at is null
      and (is_member or d.collection_id in (select private.granted_collections()))
    order by v.weight desc, d.id limit least(greatest(max_results, 1), 50);
end
$$;
grant execute on function public.search_passages, public.related_documents to authenticated;
