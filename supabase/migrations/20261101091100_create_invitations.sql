-- An owner asks an address to join, or to come as a guest of one collection: once, for seven days, for that address only
create table public.invitations (
  id uuid primary key default gen_random_uuid(),
  library_id uuid not null references public.libraries on delete cascade,
  email text not null check (email = lower(email) and email ~ '^[^@\s]+@[^@\s]+$' and char_length(email) <= 254),
  role public.member_role not null default 'reader',
  -- What a guest is invited to see, and with which role in it.
  collection_id uuid,
  collection_role public.member_role check (collection_role in ('reader', 'editor')),
  token_hash text not null unique, -- SHA-256: who reads the table still cannot join
  invited_by uuid default auth.uid() references public.profiles on delete set null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null default now() + interval '7 days',
  accepted_at timestamptz,
  check ((role = 'guest') = (collection_id is not null) and (collection_id is null) = (collection_role is null)),
  foreign key (collection_id, library_id) references public.collections (id, library_id) on delete cascade
);
create index invitations_collection_id_idx on public.invitations (collection_id);
create unique index invitations_open_idx on public.invitations (library_id, email) where accepted_at is null;
create index invitations_email_idx on public.invitations (email) where accepted_at is null;
create index invitations_invited_by_idx on public.invitations (invited_by);

alter table public.invitations enable row level security;
grant select (id, library_id, email, role, collection_id, collection_role, invited_by, created_at, expires_at, accepted_at), delete
  on public.invitations to authenticated;
grant all on public.invitations to service_role;
create policy "owners see invitations" on public.invitations for select to authenticated
  using (library_id in (select private.library_ids('owner')));
create policy "owners withdraw invitations" on public.invitations for delete to authenticated
  using (library_id in (select private.library_ids('owner')));

-- 256 random bits that fit in a link, and what is kept of them.
create function private.new_token() returns text
  language sql volatile set search_path = ''
as $$ select translate(encode(extensions.gen_random_bytes(32), 'base64'), '+/=', '-_') $$;
create function private.hash_token(token text) returns text
  language sql immutable strict set search_path = ''
as $$ select encode(sha256(convert_to(token, 'UTF8')), 'hex') $$;

/* Invites an address, again if need be: an earlier invitation that is still open is replaced and its link stops working.
   Runs as its owner because the token's hash is nobody's to write. Returns { id, token, expires_at }; the token is not kept. */
create function public.invite_member(
  library uuid, email text, role public.member_role default 'reader',
  collection uuid default null, collection_role public.member_role default null
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
  insert into public.invitations (library_id, email, role, collection_id, collection_role, token_hash)
    values (library, address, invite_member.role, invite_member.collection, invite_member.collection_role, private.hash_token(token))
    returning * into made;
  return jsonb_build_object('id', made.id, 'token', token, 'expires_at', made.expires_at);
end
$$;

-- What the page behind an invitation's link shows. Whoever has the token has the link, signed in or not.
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

-- The caller's address, if the caller has shown that it is theirs. From the table: a token's claim may be an hour old.
create function private.confirmed_email() returns text
  language sql stable security definer set search_path = ''
as $$ select lower(email) from auth.users where id = (select auth.uid()) and email_confirmed_at is not null $$;

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

/* Joins the library of an invitation that is open and made out to the caller's own confirmed address. Every other case is
   one answer, so that trying ids tells nothing. Returns the library's id. */
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
    raise exception 'This invitation cannot be accepted.' using errcode = '42501',
      hint = 'It works once, for seven days, for the address it was sent to. Sign in with that address, or ask for a new one.';
  end if;
  insert into public.members (library_id, user_id, role) values (joined.library_id, auth.uid(), joined.role)
    on conflict do nothing;
  if joined.collection_id is not null then
    insert into public.collection_grants (library_id, collection_id, user_id, role, granted_by)
      values (joined.library_id, joined.collection_id, auth.uid(), joined.collection_role, joined.invited_by)
      on conflict (collection_id, user_id) do update set role = greatest(collection_grants.role, excluded.role);
  end if;
  return joined.library_id;
end
$$;
grant execute on function public.find_invitation to anon, authenticated;
grant execute on function public.invite_member, public.my_invitations, public.accept_invitation to authenticated;
