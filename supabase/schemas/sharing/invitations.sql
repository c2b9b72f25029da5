-- Invitations by an owner to one address, as a member or as a guest of one collection: valid once, for seven days.

create table public.invitations (
  id uuid primary key default gen_random_uuid(),
  library_id uuid not null references public.libraries on delete cascade,
  email text not null check (email = lower(email) and email ~ '^[^@\s]+@[^@\s]+$' and char_length(email) <= 254),
  role public.member_role not null default 'reader',
  -- The guest's collection and role.
  collection_id uuid,
  collection_role public.member_role check (collection_role in ('reader', 'editor')),
  token_hash text not null unique, -- SHA-256, so that reading the table isn't enough to join
  invited_by uuid default auth.uid() references public.profiles on delete set null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null default now() + interval '7 days',
  accepted_at timestamptz,
  -- The mail's language, if the address has no account with another one.
  locale text not null default 'en' check (locale ~ '^[a-z]{2}$'),
  -- SHA-256. The key is only in the mail, so it proves the address. The inviter knows the token but never the key.
  key_hash text,
  -- When someone with the expired link asked for a new one.
  asked_at timestamptz,
  check ((role = 'guest') = (collection_id is not null) and (collection_id is null) = (collection_role is null)),
  foreign key (collection_id, library_id) references public.collections (id, library_id) on delete cascade
);

create index invitations_collection_id_idx on public.invitations (collection_id);
create unique index invitations_open_idx on public.invitations (library_id, email) where accepted_at is null;
create index invitations_email_idx on public.invitations (email) where accepted_at is null;
create index invitations_invited_by_idx on public.invitations (invited_by);

grant select (id, library_id, email, role, collection_id, collection_role, invited_by, created_at, expires_at, accepted_at, locale, asked_at),
  delete
  on public.invitations to authenticated;

create policy "owners see invitations" on public.invitations for select to authenticated
  using (library_id in (select private.library_ids('owner')));
create policy "owners withdraw invitations" on public.invitations for delete to authenticated
  using (library_id in (select private.library_ids('owner')));

create function private.new_token() returns text
  language sql volatile set search_path = ''
as $$ select translate(encode(extensions.gen_random_bytes(32), 'base64'), '+/=', '-_') $$;

create function private.hash_token(token text) returns text
  language sql immutable strict set search_path = ''
as $$ select encode(sha256(convert_to(token, 'UTF8')), 'hex') $$;

-- Returns what the page behind an invitation's link shows, signed in or not. Why a definer: the invited person isn't a member yet.
create function public.find_invitation(token text)
  returns table (
    id uuid, library_id uuid, library_name text, collection_name text, email text, role public.member_role, invited_by text,
    expires_at timestamptz, state text
  )
  language sql stable security definer set search_path = ''
as $$
  select i.id, i.library_id, l.name, c.name, i.email, i.role, p.display_name, i.expires_at,
    case when i.accepted_at is not null then 'accepted' when i.expires_at <= now() then 'expired' else 'open' end
  from public.invitations i
  join public.libraries l on l.id = i.library_id
  left join public.collections c on c.id = i.collection_id
  left join public.profiles p on p.id = i.invited_by
  where i.token_hash = private.hash_token(find_invitation.token)
$$;
grant execute on function public.find_invitation to anon, authenticated;

-- Returns the caller's address if it's confirmed. Read from the table, because a token's claim may be an hour old.
create function private.confirmed_email() returns text
  language sql stable set search_path = ''
as $$ select lower(u.email) from auth.users u where u.id = (select auth.uid()) and private.has_proven_address(u) $$;

-- Why a definer: the invited person isn't a member yet.
create function public.my_invitations()
  returns table (id uuid, library_name text, role public.member_role, invited_by text, expires_at timestamptz)
  language sql stable security definer set search_path = ''
as $$
  select i.id, l.name, i.role, p.display_name, i.expires_at
  from public.invitations i
  join public.libraries l on l.id = i.library_id
  left join public.profiles p on p.id = i.invited_by
  where i.email = (select private.confirmed_email()) and i.accepted_at is null and i.expires_at > now()
  order by i.created_at
$$;
grant execute on function public.my_invitations to authenticated;

/* Accepts an open invitation for the caller's confirmed address; other cases fail alike, to reveal nothing. Returns the library.
   Why a definer: the invited person isn't a member yet, and users can't add members. */
create function public.accept_invitation(invitation uuid) returns uuid
  language plpgsql security definer set search_path = ''
as $$
declare
  joined public.invitations;
begin
  update public.invitations i set accepted_at = now()
  where i.id = invitation and i.email = (select private.confirmed_email()) and i.accepted_at is null and i.expires_at > now()
  returning * into joined;
  if not found then
    perform private.refuse('invitation_invalid');
  end if;
  insert into public.members (library_id, user_id, role, is_new) values (joined.library_id, auth.uid(), joined.role, true)
    on conflict do nothing;
  if joined.collection_id is not null then
    insert into public.collection_grants (library_id, collection_id, user_id, role, granted_by)
      values (joined.library_id, joined.collection_id, auth.uid(), joined.collection_role, joined.invited_by)
      on conflict (collection_id, user_id) do update set role = greatest(collection_grants.role, excluded.role);
  end if;
  return joined.library_id;
end
$$;
grant execute on function public.accept_invitation to authenticated;

-- Mails sent within the last hour. Separate, because replacing or withdrawing an invitation deletes its row.
create table private.invitation_mails (
  library_id uuid not null,
  sender uuid,
  email text not null,
  sent_at timestamptz not null default now()
);

create index invitation_mails_sent_at_idx on private.invitation_mails (sent_at);

/* Returns the account with this confirmed address; of two, the one without company sign-in. */
create function private.account_of(address text) returns auth.users
  language sql stable set search_path = ''
as $$
  select u from auth.users u where lower(u.email) = address and private.has_proven_address(u) order by u.is_sso_user, u.created_at limit 1
$$;

-- Returns an account with this unconfirmed address.
create function private.unconfirmed_account_of(address text) returns uuid
  language sql stable set search_path = ''
as $$
  select u.id from auth.users u
  where lower(u.email) = address and u.email_confirmed_at is null and u.deleted_at is null and not u.is_sso_user limit 1
$$;

/* Runs after an invitation is created, accepted or withdrawn. Why a definer: users can't write notifications or the log. */
create function private.after_invitation_change() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    -- People without an account are notified only by mail.
    insert into public.notifications (user_id, kind, library_id, invitation_id, actor_id)
      select p.id, 'invitation', new.library_id, new.id, new.invited_by
      from public.profiles p where p.id = (private.account_of(new.email)).id;
    perform private.record(new.library_id, 'invitation.sent', null, jsonb_build_object('email', new.email, 'role', new.role));
  elsif tg_op = 'UPDATE' then
    update public.notifications n set read_at = now()
      where n.invitation_id = new.id and n.read_at is null and new.accepted_at is not null and old.accepted_at is null;
  elsif old.accepted_at is null then
    perform private.record(old.library_id, 'invitation.withdrawn', null, jsonb_build_object('email', old.email, 'role', old.role));
  end if;
  return null;
end
$$;
create trigger after_change after insert or delete or update of accepted_at on public.invitations
  for each row execute function private.after_invitation_change();

/* Invites an address, also if it can no longer use company sign-in, and replaces an open invitation. Returns { id, token, expires_at }.
   Runs as its owner because users can't write the token's hash. The token isn't stored. */
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
    perform private.refuse('invitations_need_owner');
  end if;
  if exists (
    select from public.members m join auth.users u on u.id = m.user_id where m.library_id = library and lower(u.email) = address and private.has_proven_address(u)
  ) then
    perform private.refuse('already_member', jsonb_build_object('address', address));
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

/* Returns an invitation's mail and a new key, which replaces the previous one. Null if it isn't open; { limited: true } after sixty mails
   per hour by the library or inviter, or five to the address. `account` has the address, `unconfirmed` hasn't confirmed it; either may be
   null.
   Why a definer: the service role can't read the addresses of accounts. */
create function public.take_invitation_mail(invitation uuid) returns jsonb
  language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  invited public.invitations;
  account auth.users;
  key text := private.new_token();
begin
  -- Serializes the count.
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
grant execute on function public.take_invitation_mail to service_role;

/* Returns the recipient of an open invitation's mail: { email, account, unconfirmed }, as above. Null unless token and key belong together.
   Why a definer: the service role can't read the addresses of accounts. */
create function public.enter_invitation(token text, key text) returns jsonb
  language sql stable security definer set search_path = ''
as $$
  select jsonb_build_object('email', i.email, 'account', (private.account_of(i.email)).id,
    'unconfirmed', private.unconfirmed_account_of(i.email))
  from public.invitations i
  where i.token_hash = private.hash_token(enter_invitation.token) and i.key_hash = private.hash_token(enter_invitation.key)
    and i.accepted_at is null and i.expires_at > now()
$$;
grant execute on function public.enter_invitation to service_role;

/* Records a request to renew an expired invitation. The first time, returns whom to notify: the inviter if an owner, or the oldest owner.
   Why a definer: the service role can't read the addresses of accounts. */
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
grant execute on function public.ask_for_invitation to service_role;
