-- Groups of members, which can be granted collections like single people.

create table public.groups (
  id uuid primary key default gen_random_uuid(),
  library_id uuid not null references public.libraries on delete cascade,
  -- The maximum length of a name in a mention.
  name text not null check (trim(name) <> '' and char_length(name) <= 80),
  description text not null default '' check (char_length(description) <= 500),
  created_by uuid default auth.uid() references public.profiles on delete set null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (id, library_id)
);

create unique index groups_name_idx on public.groups (library_id, lower(trim(name)));
create index groups_created_by_idx on public.groups (created_by);

grant select, delete, insert (id, library_id, name, description), update (name, description) on public.groups to authenticated;

create policy "owners create groups" on public.groups for insert to authenticated
  with check (library_id in (select private.library_ids('owner')));
create policy "owners change groups" on public.groups for update to authenticated
  using (library_id in (select private.library_ids('owner'))) with check (library_id in (select private.library_ids('owner')));
create policy "owners delete groups" on public.groups for delete to authenticated
  using (library_id in (select private.library_ids('owner')));
create trigger touch_updated_at before update on public.groups
  for each row execute function private.touch_updated_at();

create table public.group_members (
  library_id uuid not null,
  group_id uuid not null,
  user_id uuid not null,
  added_at timestamptz not null default now(),
  primary key (group_id, user_id),
  foreign key (group_id, library_id) references public.groups (id, library_id) on delete cascade,
  foreign key (library_id, user_id) references public.members (library_id, user_id) on delete cascade
);

create policy "members see groups, guests their own" on public.groups for select to authenticated
  using (
    library_id in (select private.library_ids())
    or id in (select m.group_id from public.group_members m where m.user_id = (select auth.uid()))
  );

create index group_members_user_id_idx on public.group_members (user_id, group_id);
create index group_members_library_id_idx on public.group_members (library_id, user_id);

grant select, delete, insert (library_id, group_id, user_id) on public.group_members to authenticated;

-- Guests don't know the other members: they see their own groups, and in those only themselves.
create policy "members see who is in a group, guests themselves" on public.group_members for select to authenticated
  using (
    library_id in (select private.library_ids())
    or (user_id = (select auth.uid()) and library_id in (select private.library_ids('guest')))
  );
create policy "owners add to groups" on public.group_members for insert to authenticated
  with check (library_id in (select private.library_ids('owner')));
create policy "owners remove from groups" on public.group_members for delete to authenticated
  using (library_id in (select private.library_ids('owner')));

create function private.guard_group_count() returns trigger
  language plpgsql set search_path = ''
as $$
begin
  -- Serializes inserts, so that the limit holds.
  perform from public.libraries where id = new.library_id for no key update;
  if (select count(*) from public.groups where library_id = new.library_id) >= 100 then
    perform private.refuse('too_many_groups');
  end if;
  return new;
end
$$;
create trigger guard_group_count before insert on public.groups
  for each row execute function private.guard_group_count();

/* Saves a group with changes of its members, which keeps concurrent changes by two owners. Applies the caller's rights. */
create function public.save_group(
  library uuid, name text, description text default '', id uuid default null, added uuid[] default '{}', removed uuid[] default '{}'
) returns public.groups
  language plpgsql set search_path = ''
as $$
#variable_conflict use_column
declare
  saved public.groups;
  detail text;
begin
  if save_group.library not in (select private.library_ids('owner')) then
    perform private.refuse('groups_need_owner');
  end if;
  if save_group.id is null then
    insert into public.groups (library_id, name, description)
      values (save_group.library, trim(save_group.name), trim(save_group.description)) returning * into saved;
  else
    update public.groups g set name = trim(save_group.name), description = trim(save_group.description)
      where g.id = save_group.id and g.library_id = save_group.library returning * into saved;
    if not found then
      perform private.refuse('group_gone');
    end if;
    delete from public.group_members m where m.group_id = saved.id and m.user_id = any (save_group.removed);
  end if;
  -- Skip people who have left the library in the meantime.
  insert into public.group_members (library_id, group_id, user_id)
    select saved.library_id, saved.id, m.user_id from public.members m
    where m.library_id = saved.library_id and m.user_id = any (save_group.added)
    on conflict do nothing;
  return saved;
exception
  when unique_violation then
    perform private.refuse('group_name_taken');
  when not_null_violation or check_violation then
    -- Errors with a code of ours are raised unchanged.
    get stacked diagnostics detail = pg_exception_detail;
    if private.refusal(detail, sqlerrm) is not null then raise; end if;
    perform private.refuse('group_invalid');
end
$$;
grant execute on function public.save_group to authenticated;
