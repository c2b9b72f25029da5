-- Who signs in with a company joins its libraries; and an address counts only where its company's connection may speak for it

/* Whether the account has shown that its address is its own. A connection says any address it likes, so it is believed within the
   domains that it was given alone. */
create function private.has_proven_address(account auth.users) returns boolean
  language sql stable security definer set search_path = ''
as $$
  select account.email_confirmed_at is not null and account.deleted_at is null and (not account.is_sso_user or exists (
    select from auth.identities i join auth.sso_domains d on i.provider = 'sso:' || d.sso_provider_id
    where i.user_id = account.id and lower(d.domain) = private.domain_of(account.email)))
$$;
create or replace function private.confirmed_email() returns text
  language sql stable security definer set search_path = ''
as $$ select lower(u.email) from auth.users u where u.id = (select auth.uid()) and private.has_proven_address(u) $$;
/* The account that has shown that the address is its own. Of two with the same address, the one that needs no company. */
create or replace function private.account_of(address text) returns auth.users
  language sql stable security definer set search_path = ''
as $$
  select u from auth.users u where lower(u.email) = address and private.has_proven_address(u) order by u.is_sso_user, u.created_at limit 1
$$;
/* As before; a sender may have two accounts with the same address. */
create or replace function private.mail_verdict(address public.mail_addresses, sender text, message text) returns text
  language sql stable set search_path = ''
as $$
  select case
    when not address.enabled then 'off'
    when not exists (
      select from public.members m
      where m.library_id = address.library_id and m.user_id = address.made_by and m.role >= 'editor') then 'maker'
    when address.senders = 'members' and not exists (
      select from public.members m join auth.users u on u.id = m.user_id
      where m.library_id = address.library_id and lower(u.email) = lower(sender) and private.has_proven_address(u)) then 'sender'
    when exists (
      select from public.received_mails r
      where r.address_id = address.id and r.message_hash = message and r.outcome = 'added') then 'known'
    when (
      select count(*) from public.received_mails r
      where r.address_id = address.id and r.outcome = 'added' and r.received_at > now() - interval '1 hour') >= 200 then 'busy'
    else 'open' end
$$;

-- Nobody is mailed at an address that a connection only claims: it may be somebody else's.
create function private.owe_no_claimed_address() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  if exists (select from auth.users u where u.id = new.user_id and u.is_sso_user and not private.has_proven_address(u)) then
    return null;
  end if;
  return new;
end
$$;
create trigger owe_no_claimed_address before insert on private.owed_mails
  for each row execute function private.owe_no_claimed_address();

/* As before, but somebody whose company cannot sign them in any more can be invited again. */
create or replace function public.invite_member(
  library uuid, email text, role public.member_role default 'reader',
  collection uuid default null, collection_role public.member_role default null, locale text default 'en'
) returns jsonb
  language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  address text := lower(trim(invite_member.email));
  token text := private.new_token();
  made public.invitations;
begin
  if library not in (select private.library_ids('owner')) then
    raise exception 'Only an owner of the library can invite people.' using errcode = '42501';
  end if;
  if exists (
    select from public.members m join auth.users u on u.id = m.user_id where m.library_id = library and lower(u.email) = address and private.has_proven_address(u)
  ) then
    raise exception '% is a member already.', address using errcode = '23505';
  end if;
  delete from public.invitations i where i.library_id = library and i.email = address and i.accepted_at is null;
  insert into public.invitations (library_id, email, role, collection_id, collection_role, locale, token_hash)
    values (library, address, invite_member.role, invite_member.collection, invite_member.collection_role, invite_member.locale,
      private.hash_token(token))
    returning * into made;
  return jsonb_build_object('id', made.id, 'token', token, 'expires_at', made.expires_at);
end
$$;

-- Who was removed from a library, or left it, comes back by an invitation alone: not by signing in again.
create table private.departed_people (
  domain_id uuid not null references public.sign_in_domains on delete cascade,
  email text not null,
  departed_at timestamptz not null default now(),
  primary key (domain_id, email)
);
alter table private.departed_people enable row level security;

create function private.note_departure() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    delete from private.departed_people p using public.sign_in_domains d, auth.users u
      where d.library_id = new.library_id and p.domain_id = d.id and u.id = new.user_id and p.email = lower(u.email);
  else
    insert into private.departed_people (domain_id, email)
      select d.id, lower(u.email) from auth.users u
      join public.sign_in_domains d on d.library_id = old.library_id and d.domain = private.domain_of(u.email) and d.verified_at is not null
      where u.id = old.user_id and not exists (
        -- The former account of somebody who has another one now.
        select from public.members m join auth.users o on o.id = m.user_id
        where m.library_id = old.library_id and lower(o.email) = lower(u.email))
      on conflict do nothing;
  end if;
  return null;
end
$$;
create trigger note_departure after insert or delete on public.members
  for each row execute function private.note_departure();

/* Makes the caller, who has signed in with their company, a member of its libraries. Returns the ids of those that they have joined just
   now: none in any other session, or when it is asked again.

   Whoever was a member with an account of the same address keeps their role, collections and groups; an owner becomes an editor, because
   only owners make owners. Everybody else gets the role for new members, if there is one. */
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
