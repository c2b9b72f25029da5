-- Pages of a shelf.

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
