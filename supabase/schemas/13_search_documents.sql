-- Documents by title and fields, pages of a shelf, and related documents.

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

/* Returns the documents that meet every condition on their fields. Each condition has:
   fields                    field ids, one of which must meet it
   any                       ids of people or options, one of which is a value
   words                     prefixes of words in a text
   from, to, above, below    numbers or days ("2026-03-05"), inclusive or exclusive
   empty                     true: the field applies and has no value
   Ignores values whose field no longer applies after a move. Callers check access to the documents. */
create function private.documents_with_fields(library uuid, conditions jsonb) returns setof uuid
  language plpgsql stable set search_path = ''
as $$
declare
  condition jsonb;
  wanted uuid[];
  named uuid[];
  prefixes tsquery;
  bounds jsonb;
  found uuid[];
  met uuid[];
begin
  for condition in select * from jsonb_array_elements(conditions) limit 20 loop
    wanted := array(select f.id from public.collection_fields f
      where f.library_id = library and condition -> 'fields' ? f.id::text);
    bounds := jsonb_strip_nulls(jsonb_build_object('from', condition -> 'from', 'to', condition -> 'to',
      'above', condition -> 'above', 'below', condition -> 'below'));
    if condition -> 'empty' = 'true' then
      found := array(
        select d.id from public.documents d, public.collection_fields f
        where d.library_id = library and d.deleted_at is null and f.id = any (wanted)
          and d.collection_id in (select private.collections_within(f.collection_id))
          and not exists (select from public.field_values v where v.document_id = d.id and v.field_id = f.id));
    elsif condition ? 'any' then
      named := array(select id::uuid from jsonb_array_elements_text(condition -> 'any') id where pg_input_is_valid(id, 'uuid'));
      found := array(select v.document_id from public.field_values v
        where v.field_id = any (wanted) and (v.option_id = any (named) or v.person_id = any (named)));
    elsif condition ? 'words' then
      prefixes := private.title_query(condition ->> 'words');
      found := array(select v.document_id from public.field_values v
        where v.kind = 'text' and v.field_id = any (wanted) and private.title_words(v.text_value) @@ prefixes);
    elsif bounds = '{}' or exists (select from jsonb_each(bounds) b where jsonb_typeof(b.value) not in ('number', 'string')) then
      perform private.refuse('field_condition_invalid');
    elsif exists (select from jsonb_each(bounds) b where jsonb_typeof(b.value) = 'number') then
      found := array(select v.document_id from public.field_values v
        where v.kind = 'number' and v.field_id = any (wanted)
          and v.number_value between coalesce((bounds -> 'from')::double precision, '-Infinity')
            and coalesce((bounds -> 'to')::double precision, 'Infinity')
          and v.number_value > coalesce((bounds -> 'above')::double precision, '-Infinity')
          and v.number_value < coalesce((bounds -> 'below')::double precision, 'Infinity'));
    else
      found := array(select v.document_id from public.field_values v
        where v.kind = 'date' and v.field_id = any (wanted)
          and v.date_value between coalesce((bounds ->> 'from')::date, '-infinity') and coalesce((bounds ->> 'to')::date, 'infinity')
          and v.date_value > coalesce((bounds ->> 'above')::date, '-infinity')
          and v.date_value < coalesce((bounds ->> 'below')::date, 'infinity'));
    end if;
    met := case when met is null then found else array(select unnest(met) intersect select unnest(found)) end;
    -- One of the fields has to apply where the document is now.
    met := array(
      select d.id from unnest(met) m (id) join public.documents d on d.id = m.id
      where d.collection_id in (
        select private.collections_within(f.collection_id) from public.collection_fields f where f.id = any (wanted)));
    exit when cardinality(met) = 0;
  end loop;
  return query select distinct id from unnest(met) id;
end
$$;

/* Returns a page of a shelf that is filtered or ordered by fields.

   filters  those of search_passages
   field    orders by this field, documents without a value last; otherwise by `sort`: created_at, updated_at, title
   after    the `place` of the previous page's last document
   total    the number of documents; only on the first page

   Runs as its owner, so that the order can come from an index; it checks membership itself. */
create function public.shelf_page(
  library uuid, filters jsonb default '{}', field uuid default null, sort text default 'created_at', descending boolean default false,
  after jsonb default null, max_results integer default 100
) returns table (document_id uuid, place jsonb, total integer)
  language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  is_member constant boolean := library in (select private.library_ids()); -- otherwise a guest
  most constant integer := least(greatest(max_results, 1), 500);
  direction constant text := case when descending then 'desc' else 'asc' end;
  beyond constant text := case when descending then '<' else '>' end;
  here constant uuid := (filters ->> 'place')::uuid;
  shelf text := 'd.library_id = $1 and d.deleted_at is null';
  included uuid[];
  ordered public.collection_fields;
  source text;
  type text;
  whole integer;
  rows integer := 0;
begin
  if library not in (select private.library_ids('guest')) then return; end if;
  if sort not in ('created_at', 'updated_at', 'title') then
    perform private.refuse('shelf_order_invalid');
  end if;
  filters := private.passage_filters(filters);
  if is_member and here is not null and filters - 'place' = '{}' then
    shelf := shelf || ' and d.collection_id = $2';
  else
    included := private.searched_documents(library, filters, is_member);
    if included is not null then shelf := shelf || ' and d.id = any ($3)'; end if;
  end if;
  if after is null then
    execute 'select count(*) from public.documents d where ' || shelf into whole using library, here, included;
  end if;

  select * into ordered from public.collection_fields f
    where f.id = field and f.collection_id in (select private.collections_around(here));
  if ordered.id is null then
    return query execute format($sql$
      select d.id, jsonb_build_object('value', d.%1$I, 'id', d.id), $6 from public.documents d
      where %2$s and ($4 is null or d.%1$I %3$s ($4 ->> 'value')::%4$s or (d.%1$I = ($4 ->> 'value')::%4$s and d.id > ($4 ->> 'id')::uuid))
      order by d.%1$I %5$s, d.id limit $5 $sql$,
      sort, shelf, beyond, case sort when 'title' then 'text' else 'timestamptz' end, direction)
      using library, here, included, after, most, whole;
    return;
  end if;

  source := case ordered.kind
    when 'text' then $source$select v.document_id, left(lower(v.text_value), 200) as value from public.field_values v
      where v.kind = 'text' and v.field_id = $7$source$
    when 'number' then $source$select v.document_id, v.number_value as value from public.field_values v
      where v.kind = 'number' and v.field_id = $7$source$
    when 'date' then $source$select v.document_id, v.date_value as value from public.field_values v
      where v.kind = 'date' and v.field_id = $7$source$
    when 'person' then $source$select v.document_id, lower(p.display_name) as value from public.field_values v
      join public.profiles p on p.id = v.person_id where v.field_id = $7$source$
    when 'choice' then $source$select v.document_id, o.position as value from public.field_options o
      join public.field_values v on v.option_id = o.id and v.field_id = o.field_id where o.field_id = $7$source$
  end;
  if ordered.takes_several then
    source := 'select v.document_id, min(v.value) as value from (' || source || ') v group by v.document_id';
  end if;
  type := case ordered.kind when 'number' then 'double precision' when 'choice' then 'double precision' when 'date' then 'date' else 'text' end;
  if after is null or after ->> 'value' is not null then
    return query execute format($sql$
      select d.id, jsonb_build_object('value', s.value, 'id', d.id), $6 from (%1$s) s join public.documents d on d.id = s.document_id
      where %2$s and ($4 is null or s.value %3$s ($4 ->> 'value')::%4$s
        or (s.value = ($4 ->> 'value')::%4$s and s.document_id > ($4 ->> 'id')::uuid))
      order by s.value %5$s, s.document_id limit $5 $sql$, source, shelf, beyond, type, direction)
      using library, here, included, after, most, whole, ordered.id;
    get diagnostics rows = row_count;
  end if;
  if rows < most then
    return query execute format($sql$
      select d.id, jsonb_build_object('value', null, 'id', d.id), $6 from public.documents d
      where %1$s and ($4 is null or $4 ->> 'value' is not null or d.id > ($4 ->> 'id')::uuid)
        and not exists (select from public.field_values v where v.document_id = d.id and v.field_id = $7)
      order by d.id limit $5 $sql$, shelf)
      using library, here, included, after, most - rows, whole, ordered.id;
  end if;
end
$$;
grant execute on function public.shelf_page to authenticated;

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
