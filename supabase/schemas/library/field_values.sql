-- Values of custom fields.

/* One row per value. A moved document keeps values of fields that no longer apply, hidden, so that a move can be undone. */
create table public.field_values (
  id uuid primary key default gen_random_uuid(),
  library_id uuid not null,
  document_id uuid not null,
  field_id uuid not null,
  kind public.field_kind not null,
  takes_several boolean not null,
  text_value text check (char_length(trim(text_value)) between 1 and 2000),
  number_value double precision check (number_value between -1e15 and 1e15), -- neither infinite nor NaN
  date_value date check (date_value between '0001-01-01' and '9999-12-31'),
  -- People who leave the library stay named, like authors.
  person_id uuid references public.profiles on delete cascade,
  option_id uuid,
  check (num_nonnulls(text_value, number_value, date_value, person_id, option_id) = 1),
  check (case kind when 'text' then text_value is not null when 'number' then number_value is not null
    when 'date' then date_value is not null when 'person' then person_id is not null else option_id is not null end),
  foreign key (document_id, library_id) references public.documents (id, library_id) on delete cascade,
  foreign key (field_id, library_id, kind, takes_several)
    references public.collection_fields (id, library_id, kind, takes_several) on delete cascade,
  foreign key (option_id, field_id) references public.field_options (id, field_id) on delete cascade
);

create unique index field_values_single_idx on public.field_values (document_id, field_id) where not takes_several;
create unique index field_values_several_idx on public.field_values (document_id, field_id, option_id, person_id) nulls not distinct
  where takes_several;
create index field_values_document_id_idx on public.field_values (document_id, library_id);
create index field_values_library_id_idx on public.field_values (library_id);
create index field_values_field_id_idx on public.field_values (field_id, library_id, kind, takes_several);
-- For a shelf's filters and orders. Text is ordered by its beginning, because the whole may not fit into an index.
create index field_values_text_idx on public.field_values (field_id, left(lower(text_value), 200), document_id) where kind = 'text';
create index field_values_number_idx on public.field_values (field_id, number_value, document_id) where kind = 'number';
create index field_values_date_idx on public.field_values (field_id, date_value, document_id) where kind = 'date';
create index field_values_option_id_idx on public.field_values (option_id, field_id, document_id);
create index field_values_person_id_idx on public.field_values (person_id, field_id, document_id);
create index field_values_words_idx on public.field_values using gin (private.title_words(text_value)) where kind = 'text';

grant select on public.field_values to authenticated, api_key;

create policy "who sees a document sees its values" on public.field_values for select to authenticated, api_key
  using (library_id in (select private.library_ids('guest')) and exists (select from public.documents d where d.id = document_id));

/* Sets a field of at most a thousand documents; null or an empty array clears it.

   value  a text, a number, a date ("2026-03-05"), the id of a member or option; an array of them if the field takes several.

   Runs as its owner, because values can only be written with these checks; so it checks the right to each document itself. */
create function public.set_field_value(documents uuid[], field uuid, value jsonb) returns void
  language plpgsql security definer set search_path = ''
as $$
declare
  chosen constant uuid[] := array(select distinct id from unnest(set_field_value.documents) id order by id);
  allowed integer;
begin
  if cardinality(chosen) > 1000 then
    perform private.refuse('too_many_documents_to_set');
  end if;
  perform from public.documents d where d.id = any (chosen)
      and (d.library_id in (select private.library_ids('editor')) or d.collection_id in (select private.granted_collections('editor')))
    order by d.id for no key update;
  get diagnostics allowed = row_count;
  if allowed < cardinality(chosen) then
    perform private.refuse('documents_denied');
  end if;
  perform private.put_field_value(chosen, field, value);
end
$$;
grant execute on function public.set_field_value to authenticated;

-- The part of set_field_value after its check of rights.
create function private.put_field_value(documents uuid[], field uuid, value jsonb) returns void
  language plpgsql set search_path = ''
as $$
declare
  target public.collection_fields;
  chosen constant uuid[] := array(select distinct id from unnest(put_field_value.documents) id order by id);
  items constant jsonb := case when coalesce(jsonb_typeof(value), 'null') = 'null' then '[]'
    when jsonb_typeof(value) = 'array' then value else jsonb_build_array(value) end;
begin
  -- Keeps it from being deleted in the meantime.
  select * into target from public.collection_fields f where f.id = field for share;
  if not found then
    perform private.refuse('field_gone');
  end if;
  if exists (
    select from public.documents d where d.id = any (chosen)
      and (d.collection_id is null or d.collection_id not in (select private.collections_within(target.collection_id)))
  ) then
    perform private.refuse('field_of_another_collection', jsonb_build_object('field', target.name));
  end if;

  if jsonb_array_length(items) > 1 and not target.takes_several then
    perform private.refuse('field_takes_one', jsonb_build_object('field', target.name));
  elsif jsonb_array_length(items) > 50 then
    perform private.refuse('too_many_field_values', jsonb_build_object('field', target.name));
  elsif exists (
    select from jsonb_array_elements(items) item, lateral (select item #>> '{}' as words) w
    where jsonb_typeof(item) <> case target.kind when 'number' then 'number' else 'string' end
      or case target.kind
        when 'text' then char_length(trim(words)) not between 1 and 2000
        when 'number' then abs(words::numeric) > 1e15
        when 'date' then words !~ '^\d{4}-\d\d-\d\d$' or not pg_input_is_valid(words, 'date')
        when 'person' then not exists (
          select from public.members m where m.library_id = target.library_id and m.user_id::text = words)
        when 'choice' then not exists (select from public.field_options o where o.field_id = target.id and o.id::text = words)
      end
  ) then
    case target.kind
      when 'text' then
        perform private.refuse('field_takes_text', jsonb_build_object('field', target.name));
      when 'number' then
        perform private.refuse('field_takes_number', jsonb_build_object('field', target.name));
      when 'date' then
        perform private.refuse('field_takes_date', jsonb_build_object('field', target.name));
      when 'person' then
        perform private.refuse('field_takes_people', jsonb_build_object('field', target.name));
      when 'choice' then
        perform private.refuse('field_takes_options', jsonb_build_object('field', target.name));
    end case;
  end if;

  delete from public.field_values v where v.field_id = target.id and v.document_id = any (chosen);
  insert into public.field_values (library_id, document_id, field_id, kind, takes_several,
      text_value, number_value, date_value, person_id, option_id)
    select target.library_id, id, target.id, target.kind, target.takes_several,
      case target.kind when 'text' then trim(words) end, case target.kind when 'number' then words::double precision end,
      case target.kind when 'date' then words::date end, case target.kind when 'person' then words::uuid end,
      case target.kind when 'choice' then words::uuid end
    from unnest(chosen) id, (select distinct item #>> '{}' as words from jsonb_array_elements(items) item) i;
end
$$;

-- Returns a document's values of a field in the form of set_field_value; null if there are none.
create function private.field_value(document uuid, field uuid) returns jsonb
  language sql stable set search_path = ''
as $$
  select case when f.takes_several then jsonb_agg(v.value order by v.value) else min(v.value::text)::jsonb end
  from public.collection_fields f, lateral (
    select coalesce(to_jsonb(v.text_value), to_jsonb(v.number_value), to_jsonb(v.date_value), to_jsonb(v.person_id), to_jsonb(v.option_id)) as value
    from public.field_values v where v.document_id = field_value.document and v.field_id = f.id) v
  where f.id = field_value.field group by f.id, f.takes_several
$$;

-- Whether a field that applies to the document meets a condition (see save_rule).
create function private.field_meets(document public.documents, condition jsonb) returns boolean
  language sql stable set search_path = ''
as $$
  select case when condition -> 'empty' = 'true'
    then not exists (select from public.field_values v where v.document_id = document.id and v.field_id = f.id)
    else exists (
      select from public.field_values v
      where v.document_id = document.id and v.field_id = f.id and case v.kind
        when 'text' then private.title_words(v.text_value) @@ private.title_query(condition ->> 'words')
        when 'number' then condition ?| array['from', 'to', 'above', 'below']
          and v.number_value between coalesce((condition -> 'from')::double precision, '-Infinity')
            and coalesce((condition -> 'to')::double precision, 'Infinity')
          and v.number_value > coalesce((condition -> 'above')::double precision, '-Infinity')
          and v.number_value < coalesce((condition -> 'below')::double precision, 'Infinity')
        when 'date' then condition ?| array['from', 'to', 'above', 'below']
          and v.date_value between coalesce((condition ->> 'from')::date, '-infinity') and coalesce((condition ->> 'to')::date, 'infinity')
          and v.date_value > coalesce((condition ->> 'above')::date, '-infinity')
          and v.date_value < coalesce((condition ->> 'below')::date, 'infinity')
        else condition -> 'any' ? coalesce(v.option_id, v.person_id)::text end)
    end
  from public.collection_fields f
  where f.id::text = condition ->> 'field' and f.collection_id in (select private.collections_around(document.collection_id))
$$;
