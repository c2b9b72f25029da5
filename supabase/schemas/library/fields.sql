-- Custom fields of a collection's documents: text, number, date, person, choice. They also apply in nested collections.

create type public.field_kind as enum ('text', 'number', 'date', 'person', 'choice');

create table public.collection_fields (
  id uuid primary key default gen_random_uuid(),
  library_id uuid not null,
  collection_id uuid not null,
  -- Searches name it ("Due date":2026), so it can't contain quotation marks.
  name text not null check (char_length(trim(name)) between 1 and 60 and name !~ '["[:cntrl:]]'),
  -- Fixed at creation, because it determines the type of the values.
  kind public.field_kind not null,
  takes_several boolean not null default false check (not takes_several or kind in ('person', 'choice')),
  position double precision not null default 0 check (position > '-Infinity' and position < 'Infinity'),
  created_at timestamptz not null default now(),
  unique (id, library_id),
  unique (id, library_id, kind, takes_several),
  foreign key (collection_id, library_id) references public.collections (id, library_id) on delete cascade
);
alter table public.collections add foreign key (sort_field_id, library_id) references public.collection_fields (id, library_id) on delete set null (sort_field_id);

create unique index collection_fields_name_idx on public.collection_fields (collection_id, lower(name));
create index collection_fields_library_id_idx on public.collection_fields (library_id);
create index collection_fields_collection_id_idx on public.collection_fields (collection_id, library_id);

-- The rest is written by the functions below, which validate fields with their options and values with their fields.
grant select, delete, update (position) on public.collection_fields to authenticated;
grant select on public.collection_fields to api_key;

create policy "editors of a collection delete its fields" on public.collection_fields for delete to authenticated
  using (
    library_id in (select private.library_ids('editor')) or collection_id in (select private.granted_collections('editor'))
  );

create policy "editors of a collection order its fields" on public.collection_fields for update to authenticated
  using (
    library_id in (select private.library_ids('editor')) or collection_id in (select private.granted_collections('editor'))
  );

create table public.field_options (
  id uuid primary key default gen_random_uuid(),
  library_id uuid not null,
  field_id uuid not null,
  name text not null check (char_length(trim(name)) between 1 and 60 and name !~ '["[:cntrl:]]'),
  color text not null default 'slate' check (color ~ '^[a-z]{3,20}$'), -- from the app's palette
  position double precision not null default 0,
  unique (id, field_id),
  foreign key (field_id, library_id) references public.collection_fields (id, library_id) on delete cascade
);

create unique index field_options_name_idx on public.field_options (field_id, lower(name));
create index field_options_field_id_idx on public.field_options (field_id, library_id);
create index field_options_library_id_idx on public.field_options (library_id);

grant select on public.field_options to authenticated, api_key;

create policy "who sees a field sees its options" on public.field_options for select to authenticated, api_key
  using (
    library_id in (select private.library_ids('guest')) and exists (select from public.collection_fields f where f.id = field_id)
  );

-- Returns a collection and its ancestors, whose fields apply in it.
-- Why a definer: guests can't see the ancestors of a granted collection, but see their fields.
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
grant execute on function private.collections_around to authenticated, api_key;

-- Returns a collection and its descendants, in which its fields apply.
create function private.collections_within(collection uuid) returns setof uuid
  language sql stable set search_path = '' rows 20
as $$
  with recursive within (id) as (
    select collection
    union
    select c.id from public.collections c join within w on c.parent_id = w.id
  )
  select id from within
$$;

-- Returns the collections whose fields apply somewhere in what is granted to the caller.
-- Why a definer: guests can't see the ancestors of a granted collection.
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

create policy "members see fields, guests those of their documents" on public.collection_fields for select to authenticated, api_key
  using (library_id in (select private.library_ids()) or collection_id in (select private.collections_around_granted()));
grant execute on function private.collections_around_granted to authenticated, service_role, api_key;

/* Returns the fields that apply in a collection, also of ancestors hidden from guests. Applies the caller's rights. */
create function public.fields_of(collection uuid) returns setof public.collection_fields
  language sql stable set search_path = '' rows 10
as $$
  select f.* from public.collection_fields f
  where f.collection_id in (select private.collections_around(fields_of.collection))
    and exists (select from public.collections c where c.id = fields_of.collection)
$$;
grant execute on function public.fields_of to authenticated;

create function private.may_edit_collection(collection uuid) returns boolean
  language sql stable set search_path = ''
as $$
  select exists (
    select from public.collections c where c.id = collection
      and (c.library_id in (select private.library_ids('editor')) or c.id in (select private.granted_collections('editor'))))
$$;
grant execute on function private.may_edit_collection to authenticated;

/* Creates a field of a collection, or renames one and replaces its options.

   field    null creates one. kind and takes_several apply only then.
   options  of a choice, in order: [{ id, name, color }]. Options keep their values by id; omitted options are deleted with
            their values.

   Runs as its owner, because limits and order are checked under a lock; so it checks the right itself. */
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
  detail text;
begin
  if not private.may_edit_collection(save_field.collection) then
    perform private.refuse('fields_denied');
  end if;
  -- Serializes inserts.
  select * into place from public.collections c where c.id = save_field.collection for no key update;
  if jsonb_typeof(wanted) <> 'array' or jsonb_array_length(wanted) > 100 then
    perform private.refuse('too_many_options');
  end if;
  if save_field.field is null then
    if (select count(*) from public.collection_fields f where f.collection_id = place.id) >= 30 then
      perform private.refuse('too_many_fields');
    end if;
    insert into public.collection_fields (library_id, collection_id, name, kind, takes_several, position)
      select place.library_id, place.id, trim(save_field.name), save_field.kind, save_field.takes_several,
        coalesce((select max(f.position) from public.collection_fields f where f.collection_id = place.id), 0) + 1
      returning * into saved;
  else
    update public.collection_fields f set name = trim(save_field.name)
      where f.id = save_field.field and f.collection_id = place.id returning * into saved;
    if not found then
      perform private.refuse('field_gone');
    end if;
  end if;
  if saved.kind <> 'choice' and jsonb_array_length(wanted) > 0 then
    perform private.refuse('field_without_options');
  end if;
  delete from public.field_options o
    where o.field_id = saved.id and not exists (
      select from jsonb_array_elements(wanted) as w (option) where w.option ->> 'id' = o.id::text);
  -- Options may swap names, which must stay unique.
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
    perform private.refuse('field_name_taken');
  when not_null_violation or check_violation then
    -- Errors with a code of ours are raised unchanged.
    get stacked diagnostics detail = pg_exception_detail;
    if private.refusal(detail, sqlerrm) is not null then raise; end if;
    perform private.refuse('field_invalid');
end
$$;
grant execute on function public.save_field to authenticated;

-- Orders a collection's fields; fields that aren't listed keep their position.
create function public.order_fields(collection uuid, fields uuid[]) returns void
  language plpgsql set search_path = ''
as $$
begin
  if not private.may_edit_collection(order_fields.collection) then
    perform private.refuse('fields_denied');
  end if;
  update public.collection_fields f set position = o.n
    from unnest(order_fields.fields) with ordinality as o (id, n)
    where f.id = o.id and f.collection_id = order_fields.collection;
end
$$;
grant execute on function public.order_fields to authenticated;
