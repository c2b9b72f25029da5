-- Shelves and searches by the fields of documents

/* The documents that meet every condition on their fields. Of each condition:

   fields                    the ids of the fields of which one must meet it
   any                       ids of people and options, of which one is a value
   words                     words that words of a text begin with
   from, to, above, below    numbers, or days ("2026-03-05"), with the bound or without it
   empty                     true: the field has no value where it holds

   Values where their field does not hold, because the document has moved, do not count. Whether the caller may see the documents is
   asked by whoever calls this. */
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
      select to_tsquery('pg_catalog.simple', string_agg(word || ':*', ' & ')) into prefixes
        from regexp_split_to_table(lower(left(condition ->> 'words', 300)), '[^[:alnum:]]+') word where word <> '';
      found := array(select v.document_id from public.field_values v
        where v.kind = 'text' and v.field_id = any (wanted) and private.title_words(v.text_value) @@ prefixes);
    elsif bounds = '{}' or exists (select from jsonb_each(bounds) b where jsonb_typeof(b.value) not in ('number', 'string')) then
      raise exception 'A condition on a field names values, words, bounds or that it is empty.' using errcode = '22023';
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
    -- Where the document is now, one of the fields holds.
    met := array(
      select d.id from unnest(met) m (id) join public.documents d on d.id = m.id
      where d.collection_id in (
        select private.collections_within(f.collection_id) from public.collection_fields f where f.id = any (wanted)));
    exit when cardinality(met) = 0;
  end loop;
  return query select distinct id from unnest(met) id;
end
$$;

create or replace function private.searched_documents(library uuid, filters jsonb, is_member boolean) returns uuid[]
  language sql stable set search_path = ''
as $$
  select case when filters <> '{}' or not is_member then array(
    with recursive within (id) as (
      select (filters ->> 'collection')::uuid
      union
      select c.id from public.collections c join within w on c.parent_id = w.id
    ), title (prefixes) as (
      -- Every word of the filter begins a word of the title.
      select to_tsquery('pg_catalog.simple', string_agg(word || ':*', ' & '))
      from regexp_split_to_table(lower(left(filters ->> 'title', 300)), '[^[:alnum:]]+') word where word <> ''
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
  ) end
$$;
comment on function private.searched_documents is $$The documents that a search looks at; null when that is all of the library.
A guest sees those of the collections granted to them.

filters: { collection, place, fields, kinds, tags, people, document, documents, since, until, title, media_types, author, dated_from,
dated_to }. Ids and arrays of ids; a collection includes those inside it, a place does not. fields: conditions, see
documents_with_fields. since and until: timestamps between which a document was added. title: words that words of the title begin with.
media_types: patterns of LIKE. author: a part of what the document says of its author. dated_from, dated_to: the first and the last day
of the date that it bears.$$;

/* A page of a shelf that is narrowed or ordered by fields.

   filters       as of search_passages, and { place }: a collection without those inside it
   field         orders by this field of the place, documents without a value last; without it by `sort`: created_at, updated_at, title
   after         the `place` of the last document of the page before
   total         how many documents there are; only on the first page

   Runs as its owner, so that an order can come from an index; it asks for membership itself. */
create function public.shelf_page(
  library uuid, filters jsonb default '{}', field uuid default null, sort text default 'created_at', descending boolean default false,
  after jsonb default null, max_results integer default 100
) returns table (document_id uuid, place jsonb, total integer)
  language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  is_member constant boolean := library in (select private.library_ids()); -- or else a guest
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
    raise exception 'A shelf is ordered by created_at, updated_at, title or a field.' using errcode = '22023';
  end if;
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

-- As before, and the documents of which a text field has every word of the query, or words that begin like them.
create or replace function public.find_documents(library uuid, query text, max_results integer default 20, collection uuid default null)
  returns table (document_id uuid, title text, kind public.document_kind, mime_type text, collection_id uuid)
  language plpgsql stable security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  wanted constant text := lower(trim(left(query, 300)));
  pattern constant text := '%' || regexp_replace(wanted, '([\\%_])', '\\\1', 'g') || '%';
  most constant integer := least(greatest(max_results, 1), 100);
  least_alike constant real := 0.4;
  is_member constant boolean := library in (select private.library_ids()); -- or else a guest
  words constant text[] := array(select word from regexp_split_to_table(wanted, '[^[:alnum:]]+') word where word <> '');
  prefixes constant tsquery := (select to_tsquery('pg_catalog.simple', string_agg(word || ':*', ' & ')) from unnest(words) word);
  places uuid[]; -- null: everywhere
  by_field uuid[];
begin
  if wanted = '' or library not in (select private.library_ids('guest')) then return; end if;

  if collection is not null then places := array(select private.collections_within(collection)); end if;
  by_field := array(
    select v.document_id from public.field_values v
    join public.documents d on d.id = v.document_id
    join public.collection_fields f on f.id = v.field_id
    where v.library_id = library and v.kind = 'text' and private.title_words(v.text_value) @@ prefixes
      and d.collection_id in (select private.collections_within(f.collection_id)));

  return query
    select d.id, d.title, d.kind, d.mime_type, d.collection_id from public.documents d
    where d.library_id = library and d.deleted_at is null
      and (private.title_words(d.title) @@ prefixes or d.title ilike pattern or d.id = any (by_field))
      and (is_member or d.collection_id in (select private.granted_collections()))
      and (places is null or d.collection_id = any (places))
    order by lower(d.title) = wanted desc, starts_with(lower(d.title), wanted) desc,
      coalesce(private.title_words(d.title) @@ prefixes, false) desc, d.updated_at desc, d.id
    limit most;
  if found then return; end if;

  -- Two letters in the wrong order leave a word of six with less than half of its letter triples.
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
