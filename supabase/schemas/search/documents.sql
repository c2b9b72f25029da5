-- Documents by title and fields, and related documents.

create index versions_file_words_idx on public.versions using gin (private.title_words(file_name)) where file_name is not null;

/* Finds documents whose titles, fields or file names have every word of the query, or words beginning with them, or whose titles contain it
   inside a word; otherwise those with similarly spelled titles. Best first: whole title, prefix, words; then most recently changed.

   collection: searches only there and in nested collections.

   Runs as its owner, because under row security Postgres can't use these indexes (their operators aren't leak-proof); so it checks
   membership itself and limits guests to granted collections. */
create function public.find_documents(library uuid, query text, max_results integer default 20, collection uuid default null)
  returns table (document_id uuid, title text, kind public.document_kind, mime_type text, collection_id uuid)
  language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  wanted constant text := lower(trim(left(query, 300)));
  pattern constant text := '%' || regexp_replace(wanted, '([\\%_])', '\\\1', 'g') || '%';
  most constant integer := least(greatest(max_results, 1), 100);
  least_alike constant real := 0.4;
  is_member constant boolean := library in (select private.library_ids()); -- otherwise a guest
  words constant text[] := array(select word from regexp_split_to_table(wanted, '[^[:alnum:]]+') word where word <> '');
  prefixes constant tsquery := private.title_query(query);
  places uuid[]; -- null: everywhere
  by_field uuid[];
  by_file uuid[];
begin
  if wanted = '' or library not in (select private.library_ids('guest')) then return; end if;

  if collection is not null then places := array(select private.collections_within(collection)); end if;
  by_field := array(
    select t.document_id from private.field_texts t where t.library_id = library and private.title_words(t.words) @@ prefixes);
  by_file := array(
    select d.id from public.versions v join public.documents d on d.current_version_id = v.id
    where v.library_id = library and v.file_name is not null and private.title_words(v.file_name) @@ prefixes);

  return query
    select d.id, d.title, d.kind, d.mime_type, d.collection_id from public.documents d
    where d.library_id = library and d.deleted_at is null
      and (private.title_words(d.title) @@ prefixes or d.title ilike pattern or d.id = any (by_field || by_file))
      and (is_member or d.collection_id in (select private.granted_collections()))
      and (places is null or d.collection_id = any (places))
    order by lower(d.title) = wanted desc, starts_with(lower(d.title), wanted) desc,
      coalesce(private.title_words(d.title) @@ prefixes, false) desc, d.updated_at desc, d.id
    limit most;
  if found then return; end if;

  -- Two swapped letters leave a six-letter word with less than half of its trigrams.
  perform set_config('pg_trgm.word_similarity_threshold', least_alike::text, true);
  return query
    select d.id, d.title, d.kind, d.mime_type, d.collection_id
    from public.documents d, lateral (
      select avg(extensions.word_similarity(word, d.title)) as likeness from unnest(words) word
    ) spelling
    where d.library_id = library and d.deleted_at is null
      and d.title operator(extensions.%>) any (words) and likeness >= least_alike
      and (is_member or d.collection_id in (select private.granted_collections()))
      and (places is null or d.collection_id = any (places))
    order by likeness desc, d.updated_at desc, d.id
    limit most;
end
$$;
grant execute on function public.find_documents to authenticated;

/* Returns authors (most frequent first) and years (latest first) of visible documents: { authors: [{ name, documents }], years: [{ year,
   documents }], verified, failed, proposed }, at most 500 and 200. The last three say whether there are any such documents. */
create function public.document_facets(library uuid) returns jsonb
  language sql stable set search_path = ''
as $$
  with seen as materialized (
    select d.author, extract(year from d.dated)::integer as year from public.documents d
    where d.library_id = document_facets.library and d.deleted_at is null and (d.author is not null or d.dated is not null)
  )
  select jsonb_build_object(
    'authors', (select coalesce(jsonb_agg(jsonb_build_object('name', a.author, 'documents', a.n) order by a.n desc, a.author), '[]')
      from (select s.author, count(*) as n from seen s where s.author is not null group by 1 order by 2 desc, 1 limit 500) a),
    'years', (select coalesce(jsonb_agg(jsonb_build_object('year', y.year, 'documents', y.n) order by y.year desc), '[]')
      from (select s.year, count(*) as n from seen s where s.year is not null group by 1 order by 1 desc limit 200) y),
    'verified', exists (select from public.documents d
      where d.library_id = document_facets.library and d.deleted_at is null and d.verified_until is not null),
    'failed', exists (select from public.documents d
      where d.library_id = document_facets.library and d.deleted_at is null and d.state = 'failed'),
    'proposed', exists (select from public.documents d
      where d.library_id = document_facets.library and d.deleted_at is null and d.proposed_version_id is not null))
$$;
grant execute on function public.document_facets to authenticated;

/* Returns the similarity from which passages are related. Unrelated ones are at 0.14 with lexical vectors (median of 80 manuals; 99 % below
   0.37) and at about 0.75 with gte-small; limits are a third of the way from there to 1. Other models announce their value. */
create function private.close_from(model text) returns real
  language sql stable set search_path = ''
as $$
  select coalesce((select i.unrelated + (1 - i.unrelated) / 3 from private.indexing i where i.model = close_from.model),
    case model when 'gte-small' then 0.84 else 0.45 end)::real
$$;

/* Returns documents close to this one: its first passages vote for their nearest, one of which has to be close (private.close_from).
   Why a definer: under policies each of the nearest passages would check its document. It checks membership itself. */
create function public.related_documents(document uuid, max_results integer default 6)
  returns table (document_id uuid, title text, kind public.document_kind, similarity real)
  language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  library uuid;
  is_member boolean; -- otherwise a guest
  hidden constant integer[] := array(select private.unfinished_readings());
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
      select p.embedding, p.embedding_model from public.passages p
      where p.document_id = document and p.reading_id <> all (hidden) order by p.ordinal limit 12
    ), neighbours as (
      select n.document_id, n.similarity, private.close_from(own.embedding_model) as close_from
      from own, private.nearest_passages(library, own.embedding_model, own.embedding, 10, null, document) n
    ), votes as (
      select n.document_id, sum(n.similarity) as weight, max(n.similarity)::real as similarity
      from neighbours n group by n.document_id having bool_or(n.similarity >= n.close_from)
    )
    select d.id, d.title, d.kind, v.similarity from votes v
    join public.documents d on d.id = v.document_id and d.deleted_at is null
      and (is_member or d.collection_id in (select private.granted_collections()))
    order by v.weight desc, d.id limit least(greatest(max_results, 1), 50);
end
$$;
grant execute on function public.related_documents to authenticated;
