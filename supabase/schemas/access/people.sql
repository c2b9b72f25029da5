-- Profiles, which other people see, and functions for a person's own account.

create table public.profiles (
  id uuid primary key references auth.users on delete cascade,
  display_name text not null check (trim(display_name) <> '' and char_length(display_name) <= 80),
  avatar_path text check (char_length(avatar_path) <= 300), -- in the bucket `avatars`
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- A single file name, so that the path stays in the person's folder when used in a URL.
  check (avatar_path ~ ('^' || id || '/[A-Za-z0-9_-][A-Za-z0-9._-]*$'))
);
grant select, update (display_name, avatar_path) on public.profiles to authenticated;
grant select on public.profiles to api_key;

create policy "people change their own profile" on public.profiles for update to authenticated
  using (id = (select auth.uid())) with check (id = (select auth.uid()));
create trigger touch_updated_at before update on public.profiles
  for each row execute function private.touch_updated_at();

/* Creates the profile of a new account. Before one is deleted, locks what goes with it in the order of all other writers: libraries without
   other members, then documents, then (by the deletion itself) the profile. Why a definer: the auth service has no rights here. */
create function private.handle_account() returns trigger
  language plpgsql security definer set search_path = ''
as $$
declare
  called text;
begin
  if tg_op = 'DELETE' then
    perform from public.libraries l
      where l.id in (select m.library_id from public.members m where m.user_id = old.id)
        and not exists (select from public.members m where m.library_id = l.id and m.user_id <> old.id)
      order by l.id for update;
    perform from public.documents d
      where old.id in (d.created_by, d.verifier_id) or d.library_id in (select m.library_id from public.members m where m.user_id = old.id)
      order by d.id for no key update;
    return old;
  end if;
  called := trim(coalesce(
    new.raw_user_meta_data ->> 'display_name', new.raw_user_meta_data ->> 'full_name', new.raw_user_meta_data ->> 'name', ''));
  called := coalesce(nullif(called, ''), nullif(split_part(coalesce(new.email, ''), '@', 1), ''), 'Reader');
  insert into public.profiles (id, display_name) values (new.id, left(called, 80));
  return new;
end
$$;
create trigger create_profile after insert on auth.users
  for each row execute function private.handle_account();
create trigger lock_works before delete on auth.users
  for each row execute function private.handle_account();

-- Returns the caller's sessions. Runs as its owner: the schema auth is closed to users.
create function public.my_sessions()
  returns table (
    id uuid, is_current boolean, aal text, user_agent text, ip text, created_at timestamptz, refreshed_at timestamptz
  )
  language sql stable security definer set search_path = ''
as $$
  select s.id, s.id::text = (select auth.jwt()) ->> 'session_id', s.aal::text, s.user_agent, host(s.ip), s.created_at,
    coalesce(s.refreshed_at at time zone 'utc', s.updated_at, s.created_at)
  from auth.sessions s
  where s.user_id = (select auth.uid()) and (s.not_after is null or s.not_after > now())
  order by 2 desc, 7 desc
$$;
grant execute on function public.my_sessions to authenticated;

/* Ends one of the caller's other sessions; its access token lasts until it expires. Returns whether it existed.
   Why a definer: the schema auth is closed to users. */
create function public.end_session(session uuid) returns boolean
  language plpgsql security definer set search_path = ''
as $$
begin
  delete from auth.sessions s
  where s.id = session and s.user_id = (select auth.uid()) and s.id::text is distinct from (select auth.jwt()) ->> 'session_id';
  return found;
end
$$;
grant execute on function public.end_session to authenticated;

/* Deletes the caller's account and libraries without other members; other content stays, without their name. Requires their second factor
   if any, and a new owner for libraries they alone own.
   Why a definer: the schema auth is closed to users. */
create function public.delete_account() returns void
  language plpgsql security definer set search_path = ''
as $$
declare
  person uuid := (select auth.uid());
  held text;
begin
  if person is null then
    perform private.refuse('deletion_needs_sign_in');
  end if;
  if exists (select from auth.mfa_factors f where f.user_id = person and f.status = 'verified') and not private.has_second_factor() then
    perform private.refuse('deletion_needs_second_factor');
  end if;
  delete from public.libraries l
  where exists (select from public.members m where m.library_id = l.id and m.user_id = person and m.role = 'owner')
    and not exists (select from public.members m where m.library_id = l.id and m.user_id <> person);
  select string_agg(l.name, ', ' order by l.name) into held
  from public.members m join public.libraries l on l.id = m.library_id
  where m.user_id = person and m.role = 'owner'
    and not exists (
      select from public.members o where o.library_id = m.library_id and o.user_id <> person and o.role = 'owner');
  if held is not null then
    perform private.refuse('only_owner_of_libraries', jsonb_build_object('libraries', held));
  end if;
  delete from auth.users u where u.id = person;
end
$$;
grant execute on function public.delete_account to authenticated;

/* Returns whose names the caller may know: fellow members, who invites them, or for guests the authors of visible documents and comments.
   Runs as its owner because policies on profiles use it. */
create function private.fellow_ids() returns setof uuid
  language sql stable security definer set search_path = ''
as $$
  with seen as materialized (
    select d.id, d.created_by from public.documents d
    where d.deleted_at is null and d.collection_id in (select private.granted_collections())
  )
  select user_id from public.members where library_id in (select private.library_ids())
  union select created_by from seen
  union select c.created_by from public.comments c join seen s on s.id = c.document_id
  union select i.invited_by from public.invitations i where i.id in (select private.open_invitations())
$$;

create policy "people see themselves and their fellows" on public.profiles for select to authenticated, api_key
  using (id = (select auth.uid()) or id in (select private.fellow_ids()));
grant execute on function private.fellow_ids to authenticated, service_role, api_key;
