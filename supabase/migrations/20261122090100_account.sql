-- What a person may know and do about their own account beyond what the auth service offers

-- Where the caller is signed in. Runs as its owner: the auth schema is nobody's to read.
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

/* Ends one of the caller's other sessions: its refresh token is gone with it, its access token lasts until it expires.
   Returns whether there was one. */
create function public.end_session(session uuid) returns boolean
  language plpgsql security definer set search_path = ''
as $$
begin
  delete from auth.sessions s
  where s.id = session and s.user_id = (select auth.uid()) and s.id::text is distinct from (select auth.jwt()) ->> 'session_id';
  return found;
end
$$;

/* Deletes the caller's account: at once, with the libraries in which nobody else is. What they wrote in other libraries stays
   there without their name. Who has a second factor must have given it; who is the only owner of a library with others in it
   must first hand it over. */
create function public.delete_account() returns void
  language plpgsql security definer set search_path = ''
as $$
declare
  person uuid := (select auth.uid());
  held text;
begin
  if person is null then
    raise exception 'Sign in to delete your account.' using errcode = '42501';
  end if;
  if exists (select from auth.mfa_factors f where f.user_id = person and f.status = 'verified') and not private.has_second_factor() then
    raise exception 'Deleting an account that has a second factor takes the second factor.' using errcode = '42501',
      hint = 'Sign out, sign in with both, then try again.';
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
    raise exception 'You are the only owner of %.', held using errcode = '23514',
      hint = 'Make someone else an owner there, or delete the library, then try again.';
  end if;
  delete from auth.users u where u.id = person;
end
$$;
grant execute on function public.my_sessions, public.end_session, public.delete_account to authenticated;
