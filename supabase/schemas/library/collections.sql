-- A library's folders, nested up to 20 levels, and each person's views of them.

create table public.collections (
  id uuid primary key default gen_random_uuid(),
  library_id uuid not null references public.libraries on delete cascade,
  parent_id uuid,
  name text not null check (trim(name) <> '' and char_length(name) <= 120),
  position double precision not null default 0 check (position > '-Infinity' and position < 'Infinity'),
  -- The default order of the collection's shelf.
  sort_field_id uuid,
  sort_descending boolean not null default false,
  created_by uuid default auth.uid() references public.profiles on delete set null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (id, library_id),
  -- Includes the library, so that a collection can't be nested in another library's tree.
  foreign key (parent_id, library_id) references public.collections (id, library_id) on delete cascade
);

create index collections_library_id_idx on public.collections (library_id, parent_id, position);
create index collections_parent_id_idx on public.collections (parent_id);
create index collections_created_by_idx on public.collections (created_by);
create index collections_sort_field_id_idx on public.collections (sort_field_id, library_id);

grant select, delete, insert (id, library_id, parent_id, name, position),
  update (parent_id, name, position, sort_field_id, sort_descending)
  on public.collections to authenticated;
grant select, insert (id, library_id, parent_id, name, position) on public.collections to api_key;

/* A person's view of a collection's list: columns in order, [{ "column": "size", "width": 120 }, …]. */
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

grant select, delete, insert (library_id, collection_id, columns), update (library_id, collection_id, columns)
  on public.collection_views to authenticated;

create policy "people keep their own views" on public.collection_views for all to authenticated
  using (user_id = (select auth.uid()) and library_id in (select private.library_ids('guest')))
  with check (
    user_id = (select auth.uid()) and library_id in (select private.library_ids('guest'))
    and exists (select from public.collections c where c.id = collection_id)
  );
