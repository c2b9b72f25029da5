-- A library's folders, nested up to twenty deep, and the people they are granted to.

create table public.collections (
  id uuid primary key default gen_random_uuid(),
  library_id uuid not null references public.libraries on delete cascade,
  parent_id uuid,
  name text not null check (char_length(trim(name)) between 1 and 120),
  position double precision not null default 0,
  created_by uuid default auth.uid() references public.profiles on delete set null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- The default order of the collection's shelf.
  sort_field_id uuid,
  sort_descending boolean not null default false,
  unique (id, library_id),
  -- Includes the library, so that a collection can't be nested in another library's tree.
  foreign key (parent_id, library_id) references public.collections (id, library_id) on delete cascade,
  check (char_length(name) <= 120),
  check (position > '-Infinity' and position < 'Infinity')
);

create index collections_library_id_idx on public.collections (library_id, parent_id, position);
create index collections_parent_id_idx on public.collections (parent_id);
create index collections_created_by_idx on public.collections (created_by);
create index collections_sort_field_id_idx on public.collections (sort_field_id, library_id);

alter table public.collections enable row level security;
grant select, delete, insert (id, library_id, parent_id, name, position),
  update (parent_id, name, position, sort_field_id, sort_descending)
  on public.collections to authenticated;
grant all on public.collections to service_role;
grant select, insert (id, library_id, parent_id, name, position) on public.collections to api_key;

create policy "editors add collections" on public.collections for insert to authenticated, api_key
  with check (library_id in (select private.library_ids('editor')));
create policy "editors change collections" on public.collections for update to authenticated
  using (library_id in (select private.library_ids('editor'))) with check (library_id in (select private.library_ids('editor')));
create policy "editors delete collections" on public.collections for delete to authenticated
  using (library_id in (select private.library_ids('editor')));
create trigger touch_updated_at before update on public.collections
  for each row execute function private.touch_updated_at();

-- Rights beyond a member's role: a guest sees this collection and everything in it, and a reader may be allowed to edit it.
create table public.collection_grants (
  library_id uuid not null,
  collection_id uuid not null,
  user_id uuid not null references public.profiles on delete cascade,
  role public.member_role not null default 'reader' check (role in ('reader', 'editor')),
  granted_by uuid default auth.uid() references public.profiles on delete set null,
  created_at timestamptz not null default now(),
  primary key (collection_id, user_id),
  foreign key (collection_id, library_id) references public.collections (id, library_id) on delete cascade,
  -- Members who leave lose their grants.
  foreign key (library_id, user_id) references public.members (library_id, user_id) on delete cascade
);

create index collection_grants_user_id_idx on public.collection_grants (user_id, library_id);
create index collection_grants_library_id_idx on public.collection_grants (library_id, user_id);
create index collection_grants_granted_by_idx on public.collection_grants (granted_by);

alter table public.collection_grants enable row level security;
grant select, delete, insert (library_id, collection_id, user_id, role), update (role)
  on public.collection_grants to authenticated;
grant all on public.collection_grants to service_role;

create policy "members see grants, guests their own" on public.collection_grants for select to authenticated
  using (
    library_id in (select private.library_ids())
    or (user_id = (select auth.uid()) and library_id in (select private.library_ids('guest')))
  );
create policy "owners grant collections" on public.collection_grants for insert to authenticated
  with check (library_id in (select private.library_ids('owner')));
create policy "owners change grants" on public.collection_grants for update to authenticated
  using (library_id in (select private.library_ids('owner'))) with check (library_id in (select private.library_ids('owner')));
create policy "owners take grants back" on public.collection_grants for delete to authenticated
  using (library_id in (select private.library_ids('owner')));

/* Returns collections granted to the caller or their groups with at least this role, and all inside them; see library_ids().
   Why a definer: the policies of the tables it reads use it themselves. */
create function private.granted_collections(at_least public.member_role default 'reader') returns setof uuid
  language sql stable security definer set search_path = '' rows 10
as $$
  with recursive granted (collection_id, library_id) as (
    select g.collection_id, g.library_id from public.collection_grants g
    where g.user_id = (select auth.uid()) and g.role >= at_least
    union all
    select g.collection_id, g.library_id from public.group_members m join public.group_grants g on g.group_id = m.group_id
    where m.user_id = (select auth.uid()) and g.role >= at_least
  ), within (id) as (
    select g.collection_id from granted g
    where g.library_id in (select m.library_id from private.open_memberships(at_least) m)
    union
    select c.id from public.collections c join within w on c.parent_id = w.id
  )
  select id from within
$$;

create policy "members see collections, guests those granted" on public.collections for select to authenticated, api_key
  using (library_id in (select private.library_ids()) or id in (select private.granted_collections()));
grant execute on function private.granted_collections to authenticated, service_role, api_key;

create function private.guard_collection_depth() returns trigger
  language plpgsql set search_path = ''
as $$
declare
  above integer;
  is_inside_itself boolean;
  below integer;
begin
  -- Serializes moves: two concurrent ones could form a cycle together.
  perform pg_advisory_xact_lock(hashtextextended('collections of ' || new.library_id, 0));
  with recursive ancestors (id, parent_id, depth) as (
    select id, parent_id, 1 from public.collections where id = new.parent_id
    union all
    select c.id, c.parent_id, a.depth + 1 from public.collections c join ancestors a on c.id = a.parent_id
    where a.id <> new.id and a.depth <= 20
  )
  select coalesce(max(depth), 0), coalesce(bool_or(id = new.id), false) into above, is_inside_itself from ancestors;
  if is_inside_itself then
    perform private.refuse('collection_inside_itself');
  end if;
  with recursive descendants (id, depth) as (
    select new.id, 1
    union all
    select c.id, d.depth + 1 from public.collections c join descendants d on c.parent_id = d.id where d.depth <= 20
  )
  select max(depth) into below from descendants;
  if above + below > 20 then
    perform private.refuse('collection_too_deep');
  end if;
  return new;
end
$$;
create trigger guard_collection_depth before insert or update of parent_id on public.collections
  for each row when (new.parent_id is not null) execute function private.guard_collection_depth();

-- Returns the collections that the caller may edit by a grant, and those inside them, so that screens offer what policies allow.
create function public.editable_collections(library uuid) returns setof uuid
  language sql stable set search_path = ''
as $$
  select c.id from public.collections c
  where c.library_id = editable_collections.library and c.id in (select private.granted_collections('editor'))
$$;
grant execute on function public.editable_collections to authenticated;
