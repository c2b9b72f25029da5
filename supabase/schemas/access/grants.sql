-- Grants of collections to guests, members and groups.

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

grant select, delete, insert (library_id, collection_id, user_id, role), update (role)
  on public.collection_grants to authenticated;

create table public.group_grants (
  library_id uuid not null,
  collection_id uuid not null,
  group_id uuid not null,
  role public.member_role not null default 'reader' check (role in ('reader', 'editor')),
  granted_by uuid default auth.uid() references public.profiles on delete set null,
  created_at timestamptz not null default now(),
  primary key (group_id, collection_id),
  foreign key (group_id, library_id) references public.groups (id, library_id) on delete cascade,
  foreign key (collection_id, library_id) references public.collections (id, library_id) on delete cascade
);

create index group_grants_collection_id_idx on public.group_grants (collection_id);
create index group_grants_library_id_idx on public.group_grants (library_id);
create index group_grants_granted_by_idx on public.group_grants (granted_by);

grant select, delete, insert (library_id, collection_id, group_id, role), update (role) on public.group_grants to authenticated;

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

create policy "members see grants, guests those of their groups" on public.group_grants for select to authenticated
  using (
    library_id in (select private.library_ids())
    or group_id in (select m.group_id from public.group_members m where m.user_id = (select auth.uid()))
  );
create policy "owners grant collections to groups" on public.group_grants for insert to authenticated
  with check (library_id in (select private.library_ids('owner')));
create policy "owners change grants of groups" on public.group_grants for update to authenticated
  using (library_id in (select private.library_ids('owner'))) with check (library_id in (select private.library_ids('owner')));
create policy "owners take grants of groups back" on public.group_grants for delete to authenticated
  using (library_id in (select private.library_ids('owner')));

/* Grants a collection to a person or a group, or changes the granted role. Applies the caller's rights. */
create function public.grant_collection(
  collection uuid, role public.member_role, person uuid default null, to_group uuid default null
) returns void
  language plpgsql set search_path = ''
as $$
#variable_conflict use_column
begin
  if num_nonnulls(person, to_group) <> 1 then
    perform private.refuse('grantee_invalid');
  end if;
  if person is not null then
    insert into public.collection_grants (library_id, collection_id, user_id, role)
      select c.library_id, c.id, grant_collection.person, grant_collection.role from public.collections c where c.id = grant_collection.collection
      on conflict (collection_id, user_id) do update set role = excluded.role;
  else
    insert into public.group_grants (library_id, collection_id, group_id, role)
      select c.library_id, c.id, to_group, grant_collection.role from public.collections c where c.id = grant_collection.collection
      on conflict (group_id, collection_id) do update set role = excluded.role;
  end if;
  if not found then
    perform private.refuse('collection_gone');
  end if;
end
$$;
grant execute on function public.grant_collection to authenticated;

create policy "members see collections, guests those granted" on public.collections for select to authenticated, api_key
  using (library_id in (select private.library_ids()) or id in (select private.granted_collections()));
grant execute on function private.granted_collections to authenticated, service_role, api_key;

create policy "editors add collections" on public.collections for insert to authenticated, api_key
  with check (library_id in (select private.library_ids('editor')));
create policy "editors change collections" on public.collections for update to authenticated
  using (library_id in (select private.library_ids('editor'))) with check (library_id in (select private.library_ids('editor')));
create policy "editors delete collections" on public.collections for delete to authenticated
  using (library_id in (select private.library_ids('editor')));
create trigger touch_updated_at before update on public.collections
  for each row execute function private.touch_updated_at();

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

/* Grants cover nested collections, so only owners may move one to where more people would see it. Groups count, even empty ones. */
create function private.guard_collection_audience() returns trigger
  language plpgsql set search_path = ''
as $$
begin
  if (select auth.uid()) is null or new.library_id in (select private.library_ids('owner')) then return new; end if;
  if exists (
    with recursive above (id, parent_id) as (
      select c.id, c.parent_id from public.collections c where c.id = new.parent_id
      union
      select c.id, c.parent_id from public.collections c join above a on c.id = a.parent_id
    ), former (id, parent_id) as (
      select old.id, old.parent_id
      union
      select c.id, c.parent_id from public.collections c join former f on c.id = f.parent_id
    ), granted (collection_id, grantee, role) as (
      select g.collection_id, g.user_id, g.role from public.collection_grants g where g.library_id = new.library_id
      union all
      select g.collection_id, g.group_id, g.role from public.group_grants g where g.library_id = new.library_id
    )
    select from granted g where g.collection_id in (select id from above)
      and not exists (
        select from granted had
        where had.collection_id in (select id from former) and had.grantee = g.grantee and had.role >= g.role)
  ) then
    perform private.refuse('move_shows_guests');
  end if;
  return new;
end
$$;
create trigger guard_collection_audience before update of parent_id on public.collections
  for each row when (new.parent_id is not null and new.parent_id is distinct from old.parent_id)
  execute function private.guard_collection_audience();

-- Returns the collections that the caller may edit by a grant, and those inside them, so that screens offer what policies allow.
create function public.editable_collections(library uuid) returns setof uuid
  language sql stable set search_path = ''
as $$
  select c.id from public.collections c
  where c.library_id = editable_collections.library and c.id in (select private.granted_collections('editor'))
$$;
grant execute on function public.editable_collections to authenticated;

-- Returns who can see a document and why: `through` is the granted collection (null for members), `group_name` the granted group. Applies
-- the caller's rights: guests see only themselves.
create function public.document_audience(document uuid)
  returns table (user_id uuid, display_name text, avatar_path text, role public.member_role, through text, group_name text)
  language sql stable set search_path = ''
as $$
  with recursive target as (
    select d.library_id, d.collection_id from public.documents d where d.id = document
  ), above (id, parent_id, name) as (
    select c.id, c.parent_id, c.name from public.collections c join target t on t.collection_id = c.id
    union
    select c.id, c.parent_id, c.name from public.collections c join above a on a.parent_id = c.id
  ), seers as (
    select m.user_id, m.role, null::text as through, null::text as group_name
    from public.members m join target t on t.library_id = m.library_id where m.role >= 'reader'
    union all
    select g.user_id, g.role, a.name, null from public.collection_grants g join above a on a.id = g.collection_id
    union all
    select m.user_id, g.role, a.name, o.name
    from public.group_grants g
    join above a on a.id = g.collection_id
    join public.groups o on o.id = g.group_id
    join public.group_members m on m.group_id = g.group_id
  ), strongest as (
    select distinct on (s.user_id) s.user_id, s.role, s.through, s.group_name
    from seers s order by s.user_id, s.role desc, s.through nulls first, s.group_name nulls first
  )
  select s.user_id, p.display_name, p.avatar_path, s.role, s.through, s.group_name
  from strongest s join public.profiles p on p.id = s.user_id
  order by s.through nulls first, s.role desc, p.display_name
$$;
grant execute on function public.document_audience to authenticated, service_role;
