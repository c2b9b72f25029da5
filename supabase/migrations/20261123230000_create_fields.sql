-- Fields that a collection gives its documents: text, number, date, person, choice. They hold in the collections inside it, too.
create type public.field_kind as enum ('text', 'number', 'date', 'person', 'choice');

create table public.collection_fields (
  id uuid primary key default gen_random_uuid(),
  library_id uuid not null,
  collection_id uuid not null,
  -- A search names it: "Due date":2026. So a quotation mark is not part of it.
  name text not null check (char_length(trim(name)) between 1 and 60 and name !~ '["[:cntrl:]]'),
  -- What it holds is settled when it is made: its values have that type.
  kind public.field_kind not null,
  takes_several boolean not null default false check (not takes_several or kind in ('person', 'choice')),
  position double precision not null default 0,
  created_at timestamptz not null default now(),
  unique (id, library_id),
  unique (id, library_id, kind, takes_several),
  foreign key (collection_id, library_id) references public.collections (id, library_id) on delete cascade
);
create unique index collection_fields_name_idx on public.collection_fields (collection_id, lower(name));
create index collection_fields_library_id_idx on public.collection_fields (library_id);
create index collection_fields_collection_id_idx on public.collection_fields (collection_id, library_id);

create table public.field_options (
  id uuid primary key default gen_random_uuid(),
  library_id uuid not null,
  field_id uuid not null,
  name text not null check (char_length(trim(name)) between 1 and 60 and name !~ '["[:cntrl:]]'),
  color text not null default 'slate' check (color ~ '^[a-z]{3,20}$'), -- a name of the app's palette
  position double precision not null default 0,
  unique (id, field_id),
  foreign key (field_id, library_id) references public.collection_fields (id, library_id) on delete cascade
);
create unique index field_options_name_idx on public.field_options (field_id, lower(name));
create index field_options_field_id_idx on public.field_options (field_id, library_id);
create index field_options_library_id_idx on public.field_options (library_id);

/* One row a value; a field that takes several has several. A document that moves keeps its values: where a field does not hold they
   are not shown, and they are back when the document is. So a move can be undone, and a wrong one destroys nothing. */
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
  -- Whoever leaves the library stays named, as the author of a document does.
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
-- The filters and orders of a shelf. A text is ordered by its beginning: the whole of it would not fit into an index.
create index field_values_text_idx on public.field_values (field_id, left(lower(text_value), 200), document_id) where kind = 'text';
create index field_values_number_idx on public.field_values (field_id, number_value, document_id) where kind = 'number';
create index field_values_date_idx on public.field_values (field_id, date_value, document_id) where kind = 'date';
create index field_values_option_id_idx on public.field_values (option_id, field_id, document_id);
create index field_values_person_id_idx on public.field_values (person_id, field_id, document_id);
create index field_values_words_idx on public.field_values using gin (private.title_words(text_value)) where kind = 'text';

-- The order that a collection's shelf has unless somebody chooses another.
alter table public.collections
  add column sort_field_id uuid, add column sort_descending boolean not null default false,
  add foreign key (sort_field_id, library_id) references public.collection_fields (id, library_id) on delete set null (sort_field_id);
create index collections_sort_field_id_idx on public.collections (sort_field_id, library_id);
grant update (sort_field_id, sort_descending) on public.collections to authenticated;

/* How one person has the list of a collection: which columns it has, in their order, [{ "column": "size", "width": 120 }, …]. */
create table public.collection_views (
  user_id uuid not null default auth.uid(),
  library_id uuid not null,
  collection_id uuid not null,
  columns jsonb not null check (jsonb_typeof(columns) = 'array' and octet_length(columns::text) <= 16384),
  primary key (user_id, collection_id),
  foreign key (collection_id, library_id) references public.collections (id, library_id) on delete cascade,
  foreign key (library_id, user_id) references public.members (library_id, user_id) on delete cascade
);
create index collection_views_collection_id_idx on public.collection_views (collection_id, library_id);
create index collection_views_library_id_idx on public.collection_views (library_id, user_id);

alter table public.collection_fields enable row level security;
alter table public.field_options enable row level security;
alter table public.field_values enable row level security;
alter table public.collection_views enable row level security;
-- The functions below write the rest: they check a field and its options, and a value and its field, together.
grant select, delete on public.collection_fields to authenticated;
grant select on public.field_options, public.field_values to authenticated;
grant select, delete, insert (library_id, collection_id, columns), update (library_id, collection_id, columns)
  on public.collection_views to authenticated;
grant all on public.collection_fields, public.field_options, public.field_values, public.collection_views to service_role;

-- A collection and those around it, whose fields hold in it.
create function private.collections_around(collection uuid) returns setof uuid
  language sql stable security definer set search_path = '' rows 5
as $$
  with recursive around (id, parent_id) as (
    select c.id, c.parent_id from public.collections c where c.id = collection
    union
    select c.id, c.parent_id from public.collections c join around a on c.id = a.parent_id
  )
  select id from around
$$;
-- A collection and those inside it, in which its fields hold.
create function private.collections_within(collection uuid) returns setof uuid
  language sql stable security definer set search_path = '' rows 20
as $$
  with recursive within (id) as (
    select collection
    union
    select c.id from public.collections c join within w on c.parent_id = w.id
  )
  select id from within
$$;
-- The collections whose fields hold somewhere in what is granted to the caller.
create function private.collections_around_granted() returns setof uuid
  language sql stable security definer set search_path = '' rows 20
as $$
  with recursive around (id) as (
    select private.granted_collections()
    union
    select c.parent_id from public.collections c join around a on c.id = a.id where c.parent_id is not null
  )
  select id from around
$$;
grant execute on function private.collections_around_granted to authenticated, service_role;

create policy "members see fields, guests those of their documents" on public.collection_fields for select to authenticated
  using (library_id in (select private.library_ids()) or collection_id in (select private.collections_around_granted()));
create policy "editors of a collection delete its fields" on public.collection_fields for delete to authenticated
  using (
    library_id in (select private.library_ids('editor')) or collection_id in (select private.granted_collections('editor'))
  );
create policy "who sees a field sees its options" on public.field_options for select to authenticated
  using (
    library_id in (select private.library_ids('guest')) and exists (select from public.collection_fields f where f.id = field_id)
  );
create policy "who sees a document sees its values" on public.field_values for select to authenticated
  using (library_id in (select private.library_ids('guest')) and exists (select from public.documents d where d.id = document_id));
create policy "people keep their own views" on public.collection_views for all to authenticated
  using (user_id = (select auth.uid()) and library_id in (select private.library_ids('guest')))
  with check (
    user_id = (select auth.uid()) and library_id in (select private.library_ids('guest'))
    and exists (select from public.collections c where c.id = collection_id)
  );

/* The fields that hold in a collection: its own and those of the collections around it, also for a guest who does not see those.
   None of a collection that the caller does not see. */
create function public.fields_of(collection uuid) returns setof public.collection_fields
  language sql stable security definer set search_path = '' rows 10
as $$
  select f.* from public.collection_fields f
  where f.collection_id in (select private.collections_around(fields_of.collection))
    and exists (
      select from public.collections c where c.id = fields_of.collection
        and (c.library_id in (select private.library_ids()) or c.id in (select private.granted_collections())))
$$;

create function private.may_edit_collection(collection uuid) returns boolean
  language sql stable security definer set search_path = ''
as $$
  select exists (
    select from public.collections c where c.id = collection
      and (c.library_id in (select private.library_ids('editor')) or c.id in (select private.granted_collections('editor'))))
$$;

/* Makes a field of a collection, or renames one and replaces its options.

   field    null makes a new one. Kind and takes_several hold for a new one only.
   options  of a choice, in their order: [{ id, name, color }]. An id that the field has keeps the values of that option; options that
            are left out are deleted, and the values with them.

   Runs as its owner, because the limits and the order are counted under a lock; so it asks for the right itself. */
create function public.save_field(
  collection uuid, field uuid, name text, kind public.field_kind default 'text', takes_several boolean default false,
  options jsonb default '[]'
) returns public.collection_fields
  language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  place public.collections;
  saved public.collection_fields;
  wanted constant jsonb := coalesce(nullif(save_field.options, 'null'), '[]');
begin
  if not private.may_edit_collection(save_field.collection) then
    raise exception 'You may not change the fields of this collection.' using errcode = '42501';
  end if;
  -- The lock makes two who add a field at once wait for each other.
  select * into place from public.collections c where c.id = save_field.collection for no key update;
  if jsonb_typeof(wanted) <> 'array' or jsonb_array_length(wanted) > 100 then
    raise exception 'A field has at most 100 options.' using errcode = '23514';
  end if;
  if save_field.field is null then
    if (select count(*) from public.collection_fields f where f.collection_id = place.id) >= 30 then
      raise exception 'A collection has at most 30 fields of its own.'
        using errcode = '23514', hint = 'Delete one that nobody needs, or make a collection inside this one.';
    end if;
    insert into public.collection_fields (library_id, collection_id, name, kind, takes_several, position)
      select place.library_id, place.id, trim(save_field.name), save_field.kind, save_field.takes_several,
        coalesce((select max(f.position) from public.collection_fields f where f.collection_id = place.id), 0) + 1
      returning * into saved;
  else
    update public.collection_fields f set name = trim(save_field.name)
      where f.id = save_field.field and f.collection_id = place.id returning * into saved;
    if not found then
      raise exception 'The field is not there any more.' using errcode = '23503', hint = 'Somebody may have deleted it just now.';
    end if;
  end if;
  if saved.kind <> 'choice' and jsonb_array_length(wanted) > 0 then
    raise exception 'Only a choice has options.' using errcode = '23514';
  end if;
  delete from public.field_options o
    where o.field_id = saved.id and not exists (
      select from jsonb_array_elements(wanted) as w (option) where w.option ->> 'id' = o.id::text);
  -- Two options may swap their names; for a moment neither has its own.
  update public.field_options o set name = o.id::text where o.field_id = saved.id;
  insert into public.field_options (id, library_id, field_id, name, color, position)
    select coalesce(o.id, gen_random_uuid()), saved.library_id, saved.id, trim(w.option ->> 'name'),
      coalesce(w.option ->> 'color', 'slate'), w.n
    from jsonb_array_elements(wanted) with ordinality as w (option, n)
      left join public.field_options o on o.field_id = saved.id and o.id::text = w.option ->> 'id'
    on conflict (id) do update set name = excluded.name, color = excluded.color, position = excluded.position;
  return saved;
exception
  when unique_violation then
    raise exception 'Two fields of a collection, or two options of a field, cannot have the same name.' using errcode = '23505';
  when not_null_violation or check_violation then
    if sqlerrm not like 'new row%' and sqlerrm not like 'null value%' then raise; end if;
    raise exception 'A field and an option have a name of 1 to 60 characters, without quotation marks; only a person or a choice takes several.'
      using errcode = '23514';
end
$$;

-- Puts the fields of a collection into an order; fields that it does not name stay where they are.
create function public.order_fields(collection uuid, fields uuid[]) returns void
  language plpgsql security definer set search_path = ''
as $$
begin
  if not private.may_edit_collection(order_fields.collection) then
    raise exception 'You may not change the fields of this collection.' using errcode = '42501';
  end if;
  update public.collection_fields f set position = o.n
    from unnest(order_fields.fields) with ordinality as o (id, n)
    where f.id = o.id and f.collection_id = order_fields.collection;
end
$$;

/* Sets a field of documents, at most a thousand; null or an empty array leaves it without a value.

   value  a text, a number, a date ("2026-03-05"), the id of a member or of an option; an array of those where the field takes several.

   Runs as its owner, because nobody writes values without these checks; so it asks for the right to each document itself. */
create function public.set_field_value(documents uuid[], field uuid, value jsonb) returns void
  language plpgsql security definer set search_path = ''
as $$
declare
  target public.collection_fields;
  chosen constant uuid[] := array(select distinct id from unnest(set_field_value.documents) id order by id);
  items constant jsonb := case when coalesce(jsonb_typeof(value), 'null') = 'null' then '[]'
    when jsonb_typeof(value) = 'array' then value else jsonb_build_array(value) end;
  allowed integer;
begin
  if cardinality(chosen) > 1000 then
    raise exception 'A field is set for at most 1,000 documents at once.' using errcode = '54000';
  end if;
  perform from public.documents d where d.id = any (chosen)
      and (d.library_id in (select private.library_ids('editor')) or d.collection_id in (select private.granted_collections('editor')))
    order by d.id for no key update;
  get diagnostics allowed = row_count;
  if allowed < cardinality(chosen) then
    raise exception 'You may not change all of these documents.' using errcode = '42501';
  end if;
  -- For share: it is not deleted meanwhile.
  select * into target from public.collection_fields f where f.id = field for share;
  if not found then
    raise exception 'The field is not there any more.' using errcode = '23503', hint = 'Somebody may have deleted it just now.';
  end if;
  if exists (
    select from public.documents d where d.id = any (chosen)
      and (d.collection_id is null or d.collection_id not in (select private.collections_within(target.collection_id)))
  ) then
    raise exception 'This field does not belong to the collection of these documents.' using errcode = '23514', detail = target.name;
  end if;

  if jsonb_array_length(items) > 1 and not target.takes_several then
    raise exception 'This field takes one value.' using errcode = '22023', detail = target.name;
  elsif jsonb_array_length(items) > 50 then
    raise exception 'This field takes at most 50 values.' using errcode = '22023', detail = target.name;
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
        raise exception 'This field takes a text of at most 2,000 characters.' using errcode = '22023', detail = target.name;
      when 'number' then
        raise exception 'This field takes a number.' using errcode = '22023', detail = target.name;
      when 'date' then
        raise exception 'This field takes a date such as 2026-03-05.' using errcode = '22023', detail = target.name;
      when 'person' then
        raise exception 'This field takes people of this library.' using errcode = '22023', detail = target.name;
      when 'choice' then
        raise exception 'This field takes options of its own.' using errcode = '22023', detail = target.name;
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
  -- Whoever has a document on screen hears of it by its row.
  update public.documents d set updated_at = now() where d.id = any (chosen);
end
$$;
grant execute on function public.fields_of, public.save_field, public.order_fields, public.set_field_value to authenticated;

alter publication supabase_realtime add table public.collection_fields, public.field_options;
