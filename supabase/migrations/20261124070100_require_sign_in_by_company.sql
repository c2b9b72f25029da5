-- A library can ask people of a company to sign in with it: like a second factor, it is asked where every policy asks

-- The domain whose connection alone leads this member to the library. It stays when the member's address changes: otherwise whoever
-- leaves the company would only have to take another address before. Owners keep every other way in.
alter table public.members add column required_domain_id uuid references public.sign_in_domains on delete set null;
create index members_required_domain_id_idx on public.members (required_domain_id) where required_domain_id is not null;

/* The connection by which the caller's session was opened; null for every other session. An address never says it: other ways lead to
   an account with the same address. */
create function private.session_provider() returns uuid
  language sql stable set search_path = ''
as $$
  select (entry ->> 'provider')::uuid
  from jsonb_array_elements(case when jsonb_typeof((select auth.jwt()) -> 'amr') = 'array' then (select auth.jwt()) -> 'amr' else '[]' end) entry
  where entry ->> 'method' = 'sso/saml' and entry ->> 'provider' ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' limit 1
$$;
/* The domains that are signed in with by that connection. */
create function private.session_domains() returns setof uuid
  language sql stable security definer set search_path = '' rows 1
as $$ select d.id from public.sign_in_domains d where d.provider_id = (select private.session_provider()) $$;
/* Whether it is a person who asks: their sessions have this role. Keys have a role of their own, and what the database does by itself
   in somebody's name has none; neither signs in. */
create function private.is_session() returns boolean
  language sql stable set search_path = ''
as $$ select current_setting('role') not in ('none', 'service_role', 'api_key') $$;

/* As before, but a library that a member reaches by their company's sign-in alone is among them only in a session of it. */
create or replace function private.library_ids(at_least public.member_role default 'reader') returns setof uuid
  language sql stable security definer set search_path = '' rows 10
as $$
  select m.library_id
  from public.members m
  join public.libraries l on l.id = m.library_id
  where m.user_id = (select auth.uid())
    and m.role >= at_least
    and (not l.require_second_factor or (select private.has_second_factor()))
    and (m.required_domain_id is null or m.role = 'owner' or not (select private.is_session())
      or m.required_domain_id in (select private.session_domains()))
    and (current_setting('role') <> 'api_key' or private.api_key_reaches(m.library_id, at_least))
$$;
create or replace function private.granted_collections(at_least public.member_role default 'reader') returns setof uuid
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
    join public.libraries l on l.id = g.library_id
    join public.members m on m.library_id = g.library_id and m.user_id = (select auth.uid())
    where (not l.require_second_factor or (select private.has_second_factor()))
      and (m.required_domain_id is null or m.role = 'owner' or not (select private.is_session())
        or m.required_domain_id in (select private.session_domains()))
      and (current_setting('role') <> 'api_key' or private.api_key_reaches(g.library_id, at_least))
    union
    select c.id from public.collections c join within w on c.parent_id = w.id
  )
  select id from within
$$;
grant execute on function private.session_provider, private.session_domains, private.is_session to authenticated, service_role;

/* The companies that the caller has to sign in with to reach further libraries, each with the ids of those. */
create function public.companies_to_sign_in() returns table (company text, domain text, libraries uuid[])
  language sql stable security definer set search_path = ''
as $$
  select coalesce(nullif(trim(min(d.company)), ''), d.domain), d.domain, array_agg(m.library_id order by m.joined_at, m.library_id)
  from public.members m join public.sign_in_domains d on d.id = m.required_domain_id
  where m.user_id = (select auth.uid()) and m.role <> 'owner' and d.id not in (select private.session_domains())
  group by d.domain order by d.domain
$$;
grant execute on function public.companies_to_sign_in to authenticated;

-- Whom it concerns: decided when a domain begins to require it, when somebody becomes a member, and when an address changes.
create function private.require_of_members() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  if new.is_required then
    update public.members m set required_domain_id = new.id from auth.users u
      where m.library_id = new.library_id and u.id = m.user_id and private.domain_of(u.email) = new.domain;
  else
    update public.members m set required_domain_id = null where m.required_domain_id = new.id;
  end if;
  return null;
end
$$;
create trigger require_of_members after update of is_required on public.sign_in_domains
  for each row when (old.is_required <> new.is_required) execute function private.require_of_members();

create function private.require_of_new_member() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  new.required_domain_id := (
    select d.id from auth.users u join public.sign_in_domains d on d.domain = private.domain_of(u.email)
    where u.id = new.user_id and d.library_id = new.library_id and d.is_required);
  return new;
end
$$;
create trigger require_of_new_member before insert on public.members
  for each row execute function private.require_of_new_member();

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
