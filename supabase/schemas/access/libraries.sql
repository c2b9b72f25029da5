-- Libraries, their members, and the functions that every other policy uses to check membership.

-- In ascending order, so `role >= 'editor'` works. Guests see only the collections granted to them.
create type public.member_role as enum ('guest', 'reader', 'editor', 'owner');

create table public.libraries (
  id uuid primary key default gen_random_uuid(),
  name text not null check (trim(name) <> '' and char_length(name) <= 120),
  description text not null default '' check (char_length(description) <= 2000),
  require_second_factor boolean not null default false,
  -- Whether language models may read the content, both for embeddings and for answers.
  allows_models boolean not null default true,
  -- ISO 639-1 codes; empty turns text recognition off.
  recognition_languages text[] not null default '{en,de}'
    check (recognition_languages <@ array['en', 'de'] and array_position(recognition_languages, null) is null
      and cardinality(recognition_languages) <= 2),
  created_by uuid references public.profiles on delete set null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create index libraries_created_by_idx on public.libraries (created_by);

grant select, delete, update (name, description, require_second_factor, recognition_languages, allows_models)
  on public.libraries to authenticated;
grant select on public.libraries to api_key;
create trigger touch_updated_at before update on public.libraries
  for each row execute function private.touch_updated_at();

create table public.members (
  library_id uuid not null references public.libraries on delete cascade,
  user_id uuid not null references public.profiles on delete cascade,
  role public.member_role not null,
  joined_at timestamptz not null default now(),
  is_new boolean not null default false,
  -- The domain whose connection this member has to use. It stays when their address changes, or leavers could keep access. Not for owners.
  required_domain_id uuid,
  primary key (library_id, user_id)
);

-- For "my libraries", which every policy below starts with.
create index members_user_id_idx on public.members (user_id, library_id);
create index members_required_domain_id_idx on public.members (required_domain_id) where required_domain_id is not null;

grant select, delete, update (role) on public.members to authenticated;
grant select on public.members to api_key;

create function private.has_second_factor() returns boolean
  language sql stable set search_path = ''
as $$ select coalesce((select auth.jwt()) ->> 'aal', '') = 'aal2' $$;
grant execute on function private.has_second_factor to authenticated, service_role;

/* The root of all rights: the memberships that this session may use, which may need aal2 or company sign-in. A key, known by its role,
   which tokens can't claim, reaches only its own library, at most as an editor. */
create function private.open_memberships(at_least public.member_role) returns setof public.members
  language sql stable set search_path = '' rows 10
as $$
  select m.*
  from public.members m
  join public.libraries l on l.id = m.library_id
  where m.user_id = (select auth.uid())
    and (not l.require_second_factor or (select private.has_second_factor()))
    and (m.required_domain_id is null or m.role = 'owner' or not (select private.is_session())
      or m.required_domain_id in (select private.session_domains()))
    and (current_setting('role') <> 'api_key' or private.api_key_reaches(m.library_id, at_least))
$$;

/* Returns the libraries in which the caller has at least this role; guests only on request, so that policies that forget them stay closed.
   Independent of the guarded row, so that policies run it once per statement.
   Why a definer: the policies of the tables it reads use it themselves. */
create function private.library_ids(at_least public.member_role default 'reader') returns setof uuid
  language sql stable security definer set search_path = '' rows 10
as $$ select m.library_id from private.open_memberships(at_least) m where m.role >= at_least $$;

create policy "members and guests see their libraries" on public.libraries for select to authenticated, api_key
  using (id in (select private.library_ids('guest')));
create policy "owners change their libraries" on public.libraries for update to authenticated
  using (id in (select private.library_ids('owner'))) with check (id in (select private.library_ids('owner')));
create policy "owners delete their libraries" on public.libraries for delete to authenticated
  using (id in (select private.library_ids('owner')));
create policy "members see each other, guests themselves" on public.members for select to authenticated, api_key
  using (
    library_id in (select private.library_ids())
    or (user_id = (select auth.uid()) and library_id in (select private.library_ids('guest')))
  );
create policy "owners change roles" on public.members for update to authenticated
  using (library_id in (select private.library_ids('owner'))) with check (library_id in (select private.library_ids('owner')));
create policy "owners remove members, members leave" on public.members for delete to authenticated
  using (
    library_id in (select private.library_ids('owner'))
    or (user_id = (select auth.uid()) and library_id in (select private.library_ids('guest')))
  );
grant execute on function private.library_ids to authenticated, service_role, api_key;

-- Enabling it without having used a second factor would lock the owner out.
create function private.guard_second_factor() returns trigger
  language plpgsql set search_path = ''
as $$
begin
  if new.require_second_factor and not old.require_second_factor
     and (select auth.uid()) is not null and not private.has_second_factor() then
    perform private.refuse('requiring_needs_second_factor');
  end if;
  return new;
end
$$;
create trigger guard_second_factor before update of require_second_factor on public.libraries
  for each row execute function private.guard_second_factor();

/* Limits members to 200 and keeps one owner. If the last owner's account is deleted, the longest-standing member with the highest role
   follows; guests never own a library, so one with only guests left is deleted.
   Why a definer: a leaving member may not lock the library, and a guest doesn't see the other members. */
create function private.before_member_change() returns trigger
  language plpgsql security definer set search_path = ''
as $$
declare
  library uuid := case when tg_op = 'INSERT' then new.library_id else old.library_id end;
begin
  -- Serializes owners who leave, and invitations for the last seat.
  perform from public.libraries where id = library for no key update;
  -- The library itself is being deleted.
  if not found then return coalesce(new, old); end if;

  if tg_op = 'INSERT' then
    if (select count(*) from public.members where library_id = library) >= 200 then
      perform private.refuse('too_many_members');
    end if;
    new.required_domain_id := private.required_domain(new.library_id, new.user_id);
  elsif old.role = 'owner' and (tg_op = 'DELETE' or new.role <> 'owner') then
    if not exists (
      select from public.members where library_id = library and role = 'owner' and user_id <> old.user_id
    ) and (tg_op = 'UPDATE' or exists (select from public.profiles where id = old.user_id)) then
      perform private.refuse('last_owner');
    end if;
  end if;
  return coalesce(new, old);
end
$$;
create trigger before_change before insert or update or delete on public.members
  for each row execute function private.before_member_change();

/* Handles members who join, leave or change role. Why a definer: users can't write the log or read the addresses of accounts. */
create function private.after_member_change() returns trigger
  language plpgsql security definer set search_path = ''
as $$
declare
  person constant uuid := coalesce(new.user_id, old.user_id);
  subject constant jsonb := jsonb_build_object(
    'user', person, 'name', (select display_name from public.profiles where id = person), 'role', coalesce(new.role, old.role));
begin
  if tg_op = 'INSERT' then
    perform private.forget_departure(new);
    perform private.record(new.library_id, 'member.joined', null, subject);
  elsif tg_op = 'DELETE' then
    if old.role = 'owner' and not exists (select from public.members where library_id = old.library_id and role = 'owner') then
      update public.members set role = 'owner' where library_id = old.library_id and user_id = (
        select user_id from public.members where library_id = old.library_id and role <> 'guest' order by role desc, joined_at, user_id limit 1);
      if not found then
        delete from public.libraries where id = old.library_id;
        return null;
      end if;
    end if;
    perform private.record_departure(old);
    perform private.record(old.library_id, case when person = auth.uid() then 'member.left' else 'member.removed' end, null, subject);
  elsif new.role <> old.role then
    perform private.record(new.library_id, 'member.role_changed', null, subject || jsonb_build_object('from', old.role));
  end if;
  -- A former owner must not come back by an invitation to another address of theirs.
  if old.role = 'owner' and new.role is distinct from 'owner' then
    delete from public.invitations i where i.library_id = old.library_id and i.invited_by = person and i.accepted_at is null and i.expires_at > now();
  end if;
  return null;
end
$$;
create trigger after_change after insert or delete or update of role on public.members
  for each row execute function private.after_member_change();

/* Creates a library with the caller as its first owner. Runs as its owner because users can't insert libraries or members directly. */
create function public.create_library(name text, description text default '') returns public.libraries
  language plpgsql security definer set search_path = ''
as $$
declare
  library public.libraries;
begin
  if (select auth.uid()) is null then
    perform private.refuse('library_needs_sign_in');
  end if;
  insert into public.libraries (name, description, created_by)
    values (trim(create_library.name), create_library.description, auth.uid()) returning * into library;
  insert into public.members (library_id, user_id, role) values (library.id, auth.uid(), 'owner');
  return library;
end
$$;
grant execute on function public.create_library to authenticated;

/* Handles libraries that are created, changed or deleted. Why a definer: users can't write the log, the channels or a library's words. */
create function private.after_library_change() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    insert into public.library_channels (library_id) values (new.id);
    perform private.record_audit(new.id, 'library.created', null, jsonb_build_object('name', new.name));
  elsif tg_op = 'UPDATE' then
    perform private.record_library_change(old, new);
    if new.allows_models <> old.allows_models then perform private.renew_vectors(new); end if;
    if new.recognition_languages <> old.recognition_languages then perform private.renew_scans(new.id); end if;
  else
    perform private.forget_library(old.id);
  end if;
  return null;
end
$$;
-- Triggers run by name: the foreign keys that delete the library's documents (RI_…) come first.
create trigger after_change after insert or update or delete on public.libraries
  for each row execute function private.after_library_change();

-- Counts the caller's libraries that are hidden until a second factor is given. Why a definer: it counts what policies hide.
create function public.hidden_libraries() returns integer
  language sql stable security definer set search_path = ''
as $$
  select count(*)::integer from public.members m join public.libraries l on l.id = m.library_id
  where m.user_id = (select auth.uid()) and l.require_second_factor and not (select private.has_second_factor())
$$;
grant execute on function public.hidden_libraries to authenticated;

-- Dismisses the caller's welcome in a library. Runs as its owner: only owners can update members, but not this column.
create function public.dismiss_welcome(library uuid) returns void
  language sql security definer set search_path = ''
as $$ update public.members m set is_new = false where m.library_id = library and m.user_id = (select auth.uid()) and m.is_new $$;
grant execute on function public.dismiss_welcome to authenticated;

/* Returns what a library's card shows, as far as the caller sees it: { documents, people, changed_at }. A computed column of `libraries`. */
create function public.summary(library public.libraries) returns jsonb
  language sql stable set search_path = ''
as $$
  select jsonb_build_object('documents', count(*), 'changed_at', max(d.updated_at),
    'people', (select count(*) from public.members m where m.library_id = library.id))
  from public.documents d where d.library_id = library.id and d.deleted_at is null
$$;
grant execute on function public.summary to authenticated;
