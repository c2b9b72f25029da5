-- Sign-in through a company: who must, and who may join.

/* Returns the connection of the caller's session, or null. Not by address: there are other ways to sign in to an account with the same one. */
create function private.session_provider() returns uuid
  language sql stable set search_path = ''
as $$
  select (entry ->> 'provider')::uuid
  from jsonb_array_elements(case when jsonb_typeof((select auth.jwt()) -> 'amr') = 'array' then (select auth.jwt()) -> 'amr' else '[]' end) entry
  where entry ->> 'method' = 'sso/saml' and entry ->> 'provider' ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' limit 1
$$;
grant execute on function private.session_provider to authenticated, service_role;

/* Returns the domains of the session's connection. */
create function private.session_domains() returns setof uuid
  language sql stable set search_path = '' rows 1
as $$ select d.id from public.sign_in_domains d where d.provider_id = (select private.session_provider()) $$;

/* Whether the caller is a person with a session. Keys have another role, and what the database does on someone's behalf has none. */
create function private.is_session() returns boolean
  language sql stable set search_path = ''
as $$ select current_setting('role') not in ('none', 'service_role', 'api_key') $$;
grant execute on function private.is_session to authenticated, service_role;

/* Returns the companies that the caller has to sign in with to reach more libraries, with their ids.
   Why a definer: it lists what policies hide. */
create function public.companies_to_sign_in() returns table (company text, domain text, libraries uuid[])
  language sql stable security definer set search_path = ''
as $$
  select coalesce(nullif(trim(min(d.company)), ''), d.domain), d.domain, array_agg(m.library_id order by m.joined_at, m.library_id)
  from public.members m join public.sign_in_domains d on d.id = m.required_domain_id
  where m.user_id = (select auth.uid()) and m.role <> 'owner' and d.id not in (select private.session_domains())
  group by d.domain order by d.domain
$$;
grant execute on function public.companies_to_sign_in to authenticated;

-- Decided when a domain becomes required, a member joins, or an address changes.
create function private.require_of_members(claim public.sign_in_domains) returns void
  language plpgsql set search_path = ''
as $$
begin
  if claim.is_required then
    update public.members m set required_domain_id = claim.id from auth.users u
      where m.library_id = claim.library_id and u.id = m.user_id and private.domain_of(u.email) = claim.domain;
  else
    update public.members m set required_domain_id = null where m.required_domain_id = claim.id;
  end if;
end
$$;

create function private.required_domain(library uuid, person uuid) returns uuid
  language sql stable set search_path = ''
as $$
  select d.id from auth.users u join public.sign_in_domains d on d.domain = private.domain_of(u.email)
  where u.id = person and d.library_id = library and d.is_required
$$;

-- Why a definer: the auth service changes the address and has no rights here.
create function private.require_of_new_address() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  update public.members m set required_domain_id = d.id from public.sign_in_domains d
    where m.user_id = new.id and d.library_id = m.library_id and d.is_required and d.domain = private.domain_of(new.email);
  return null;
end
$$;
create trigger require_of_new_address after update of email on auth.users
  for each row when (old.email is distinct from new.email) execute function private.require_of_new_address();

/* Whether the account's address is proven. A connection can claim any address, so it is trusted only for its own domains. */
create function private.has_proven_address(account auth.users) returns boolean
  language sql stable set search_path = ''
as $$
  select account.email_confirmed_at is not null and account.deleted_at is null and (not account.is_sso_user or exists (
    select from auth.identities i join auth.sso_domains d on i.provider = 'sso:' || d.sso_provider_id
    where i.user_id = account.id and lower(d.domain) = private.domain_of(account.email)))
$$;

-- Don't send mail to an address that a connection only claims: it may be someone else's. Why a definer: the schema auth is closed to users.
create function private.drop_mail_to_claimed_address() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  if exists (select from auth.users u where u.id = new.user_id and u.is_sso_user and not private.has_proven_address(u)) then
    return null;
  end if;
  return new;
end
$$;
create trigger drop_mail_to_claimed_address before insert on private.mail_queue
  for each row execute function private.drop_mail_to_claimed_address();

-- People who left or were removed can only return by an invitation, not by signing in again.
create table private.departed_people (
  domain_id uuid not null references public.sign_in_domains on delete cascade,
  email text not null,
  departed_at timestamptz not null default now(),
  primary key (domain_id, email)
);

create function private.record_departure(former public.members) returns void
  language sql set search_path = ''
as $$
  insert into private.departed_people (domain_id, email)
    select d.id, lower(u.email) from auth.users u
    join public.sign_in_domains d
      on d.library_id = former.library_id and d.domain = private.domain_of(u.email) and d.verified_at is not null
    where u.id = former.user_id and not exists (
      -- The former account of someone who now has another one.
      select from public.members m join auth.users o on o.id = m.user_id
      where m.library_id = former.library_id and lower(o.email) = lower(u.email))
    on conflict do nothing
$$;

create function private.forget_departure(joined public.members) returns void
  language sql set search_path = ''
as $$
  delete from private.departed_people p using public.sign_in_domains d, auth.users u
    where d.library_id = joined.library_id and p.domain_id = d.id and u.id = joined.user_id and p.email = lower(u.email)
$$;

/* Adds the caller, who has signed in with their company, to its libraries. Returns the newly joined ones; none in other sessions or on
   repetition.

   A member with a former account of the same address keeps role, collections and groups; an owner becomes an editor, because only owners
   make owners. Others get the role for new members, if any.
   Why a definer: the caller isn't a member yet, and users can't add members. */
create function public.join_by_company() returns setof uuid
  language plpgsql security definer set search_path = ''
as $$
declare
  person constant uuid := auth.uid();
  address constant text := (
    select lower(u.email) from auth.users u where u.id = auth.uid() and u.is_sso_user and u.email_confirmed_at is not null);
  claim public.sign_in_domains;
  former public.members;
begin
  for claim in
    select d.* from public.sign_in_domains d
    where d.id in (select private.session_domains()) and d.domain = private.domain_of(address)
      and not exists (select from public.members m where m.library_id = d.library_id and m.user_id = person)
      and not exists (select from private.departed_people p where p.domain_id = d.id and p.email = address)
  loop
    select m.* into former from public.members m join auth.users u on u.id = m.user_id
      where m.library_id = claim.library_id and lower(u.email) = address and u.email_confirmed_at is not null
      order by m.role desc limit 1;
    continue when former.role is null and claim.new_member_role is null;
    insert into public.members (library_id, user_id, role, is_new)
      values (claim.library_id, person, least(coalesce(former.role, claim.new_member_role), 'editor'), former.role is null)
      on conflict do nothing;
    continue when not found;
    insert into public.collection_grants (library_id, collection_id, user_id, role, granted_by)
      select g.library_id, g.collection_id, person, g.role, g.granted_by from public.collection_grants g
      where g.library_id = claim.library_id and g.user_id = former.user_id;
    insert into public.group_members (library_id, group_id, user_id)
      select g.library_id, g.group_id, person from public.group_members g
      where g.library_id = claim.library_id and g.user_id = former.user_id;
    return next claim.library_id;
  end loop;
end
$$;
grant execute on function public.join_by_company to authenticated;
