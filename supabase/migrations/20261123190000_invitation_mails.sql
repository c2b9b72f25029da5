-- The mail of an invitation: who invites, to what, as what, in which language; and a key that only the mail has
alter table public.invitations
  -- Of the mail, where the invited address has no account that says otherwise.
  add column locale text not null default 'en' check (locale ~ '^[a-z]{2}$'),
  -- SHA-256. Whoever has the key has read the mail, so the address is theirs. The inviter knows the token, never the key.
  add column key_hash text,
  -- When somebody who has the link asked for a new one, because this one has expired.
  add column asked_at timestamptz;
grant select (locale, asked_at) on public.invitations to authenticated;

-- What was sent within the last hour. Kept apart: an invitation that is replaced or withdrawn takes its row with it.
create table private.invitation_mails (
  library_id uuid not null,
  sender uuid,
  email text not null,
  sent_at timestamptz not null default now()
);
create index invitation_mails_sent_at_idx on private.invitation_mails (sent_at);

-- The account that has shown that the address is its own.
create function private.account_of(address text) returns auth.users
  language sql stable security definer set search_path = ''
as $$ select u from auth.users u where lower(u.email) = address and u.email_confirmed_at is not null and u.deleted_at is null limit 1 $$;

-- One of which nobody has shown that yet.
create function private.unconfirmed_account_of(address text) returns uuid
  language sql stable security definer set search_path = ''
as $$
  select u.id from auth.users u
  where lower(u.email) = address and u.email_confirmed_at is null and u.deleted_at is null and not u.is_sso_user limit 1
$$;

drop function public.invite_member(uuid, text, public.member_role, uuid, public.member_role);
/* Invites an address, again if need be: an earlier invitation that is still open is replaced and its link stops working.
   Runs as its owner because the token's hash is nobody's to write. Returns { id, token, expires_at }; the token is not kept. */
create function public.invite_member(
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
    select from public.members m join auth.users u on u.id = m.user_id where m.library_id = library and lower(u.email) = address
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
grant execute on function public.invite_member to authenticated;

/* What the mail of an invitation says, for whoever sends it, and its key, which replaces an earlier one. Null when the invitation
   is not open; { limited: true } when the library or its inviter has sent sixty mails within the hour, or this address got five.
   `locale` is that of the address's account, or else the invitation's. `account` is the account's id,
   `unconfirmed` that of one whose address nobody has confirmed yet; either may be null. */
create function public.take_invitation_mail(invitation uuid) returns jsonb
  language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  invited public.invitations;
  account auth.users;
  key text := private.new_token();
begin
  -- One at a time: two that count at once would both find room.
  lock table private.invitation_mails in share row exclusive mode;
  delete from private.invitation_mails where sent_at < now() - interval '1 hour';
  select * into invited from public.invitations i where i.id = invitation and i.accepted_at is null and i.expires_at > now();
  if not found then return null; end if;
  if (
    select count(*) filter (where library_id = invited.library_id) >= 60 or count(*) filter (where sender = invited.invited_by) >= 60
      or count(*) filter (where email = invited.email) >= 5
    from private.invitation_mails
  ) then
    return jsonb_build_object('limited', true);
  end if;
  insert into private.invitation_mails (library_id, sender, email) values (invited.library_id, invited.invited_by, invited.email);
  update public.invitations i set key_hash = private.hash_token(key) where i.id = invitation;
  account := private.account_of(invited.email);
  return (
    select jsonb_build_object(
      'email', invited.email, 'key', key, 'locale', coalesce(account.raw_user_meta_data ->> 'locale', invited.locale),
      'account', account.id, 'unconfirmed', private.unconfirmed_account_of(invited.email), 'inviter', p.display_name, 'library', l.name, 'role', invited.role,
      'collection', c.name, 'collection_role', invited.collection_role, 'expires_at', invited.expires_at)
    from public.libraries l
    left join public.collections c on c.id = invited.collection_id
    left join public.profiles p on p.id = invited.invited_by
    where l.id = invited.library_id
  );
end
$$;

/* Whom the mail of an open invitation reached: { email, account, unconfirmed }, as above. Null unless token and key belong together. */
create function public.enter_invitation(token text, key text) returns jsonb
  language sql stable security definer set search_path = ''
as $$
  select jsonb_build_object('email', i.email, 'account', (private.account_of(i.email)).id,
    'unconfirmed', private.unconfirmed_account_of(i.email))
  from public.invitations i
  where i.token_hash = private.hash_token(enter_invitation.token) and i.key_hash = private.hash_token(enter_invitation.key)
    and i.accepted_at is null and i.expires_at > now()
$$;

/* Notes that somebody asks for a new link in place of an expired one. Returns whom to tell, the first time only: the inviter if
   they own the library still, otherwise its oldest owner. Null when there is nothing to tell. */
create function public.ask_for_invitation(token text) returns jsonb
  language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  expired public.invitations;
begin
  update public.invitations i set asked_at = now()
  where i.token_hash = private.hash_token(ask_for_invitation.token) and i.accepted_at is null and i.expires_at <= now() and i.asked_at is null
  returning * into expired;
  if not found then return null; end if;
  return (
    select jsonb_build_object('email', u.email, 'locale', coalesce(u.raw_user_meta_data ->> 'locale', expired.locale),
      'library_id', l.id, 'library', l.name, 'invited', expired.email)
    from public.members m
    join auth.users u on u.id = m.user_id and u.email_confirmed_at is not null
    join public.libraries l on l.id = m.library_id
    where m.library_id = expired.library_id and m.role = 'owner'
    order by m.user_id = expired.invited_by desc, m.joined_at
    limit 1
  );
end
$$;
grant execute on function public.take_invitation_mail, public.enter_invitation, public.ask_for_invitation to service_role;
