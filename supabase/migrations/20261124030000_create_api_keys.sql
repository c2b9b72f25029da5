-- Keys with which a program acts in one library, as the owner who made the key and with at most what its scopes allow
create table public.api_keys (
  id uuid primary key default gen_random_uuid(),
  library_id uuid not null references public.libraries on delete cascade,
  name text not null check (char_length(trim(name)) between 1 and 80 and name !~ '[[:cntrl:]]'),
  -- Whoever writes or comments also reads what it is about; a comment is seen with its document only.
  scopes text[] not null check (
    cardinality(scopes) > 0
    and scopes <@ array['documents:read', 'documents:write', 'search', 'comments:read', 'comments:write', 'members:read']
    and ('documents:read' = any (scopes) or not scopes && array['documents:write', 'comments:read'])
    and ('comments:read' = any (scopes) or not scopes && array['comments:write'])
  ),
  key_hash text not null unique, -- SHA-256: who reads the table still cannot use the key
  ending text not null, -- the last four characters, by which its owner knows it again
  -- Made in a session with a second factor, which a library may require.
  has_second_factor boolean not null,
  -- A key acts as this person, so it goes with their account.
  created_by uuid not null references public.profiles on delete cascade,
  created_at timestamptz not null default now(),
  expires_at timestamptz, -- null: until it is revoked
  last_used_at timestamptz, -- to the minute
  revoked_at timestamptz,
  revoked_by uuid references public.profiles on delete set null
);
create index api_keys_library_id_idx on public.api_keys (library_id, created_at desc);
create index api_keys_created_by_idx on public.api_keys (created_by);
create index api_keys_revoked_by_idx on public.api_keys (revoked_by);

alter table public.api_keys enable row level security;
grant select (id, library_id, name, scopes, ending, has_second_factor, created_by, created_at, expires_at, last_used_at, revoked_at, revoked_by)
  on public.api_keys to authenticated;
grant all on public.api_keys to service_role;
create policy "owners see the keys of their libraries" on public.api_keys for select to authenticated
  using (library_id in (select private.library_ids('owner')));

/* A new secret: `carrel_`, 160 random bits in hexadecimal, and the first eight digits of the SHA-256 of all that. By these a
   program that searches texts for lost keys knows a key from a similar word, and the function `api` a misspelt one. */
create function private.new_api_key() returns text
  language sql volatile set search_path = ''
as $$
  select secret || left(private.hash_token(secret), 8)
  from (select 'carrel_' || encode(extensions.gen_random_bytes(20), 'hex') as secret) s
$$;

/* Makes a key of a library, for its owners. Returns { id, key, expires_at }; the key is not kept.

   scopes   `documents:write` and `comments:write` include reading, and comments the documents that they are about
   days     its lifetime; null until it is revoked

   Runs as its owner because the hash of a key is nobody's to write. */
create function public.create_api_key(library uuid, name text, scopes text[], days integer default null) returns jsonb
  language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  allowed constant text[] := array['documents:read', 'documents:write', 'search', 'comments:read', 'comments:write', 'members:read'];
  wanted text[] := create_api_key.scopes;
  secret constant text := private.new_api_key();
  made public.api_keys;
begin
  -- The lock makes two who make the last key at once wait for each other.
  perform from public.libraries l where l.id = library and l.id in (select private.library_ids('owner')) for no key update;
  if not found then
    raise exception 'Only an owner makes keys of a library.' using errcode = '42501';
  end if;
  if wanted is null or cardinality(wanted) = 0 or not wanted <@ allowed then
    raise exception 'A key has one of these scopes or several: %.', array_to_string(allowed, ', ') using errcode = '22023';
  end if;
  if wanted && array['comments:write'] then wanted := wanted || array['comments:read']; end if;
  if wanted && array['documents:write', 'comments:read'] then wanted := wanted || array['documents:read']; end if;
  if days not between 1 and 3650 then
    raise exception 'A key lasts 1 to 3,650 days, or until it is revoked.' using errcode = '22023';
  end if;
  -- What was revoked or expired stays listed for three months.
  delete from public.api_keys k
    where k.library_id = library and least(k.revoked_at, k.expires_at) < now() - interval '90 days';
  if (select count(*) from public.api_keys k where k.library_id = library and k.revoked_at is null) >= 50 then
    raise exception 'This library already has 50 keys, which is its limit.'
      using errcode = '23514', hint = 'Revoke one that nothing uses any more.';
  end if;
  insert into public.api_keys (library_id, name, scopes, key_hash, ending, has_second_factor, created_by, expires_at)
    values (library, trim(create_api_key.name), array(select scope from unnest(allowed) scope where scope = any (wanted)),
      private.hash_token(secret), right(secret, 4), private.has_second_factor(), auth.uid(), now() + make_interval(days => days))
    returning * into made;
  perform private.record(library, 'key.created', null,
    jsonb_build_object('name', made.name, 'scopes', to_jsonb(made.scopes), 'expires_at', made.expires_at));
  return jsonb_build_object('id', made.id, 'key', secret, 'expires_at', made.expires_at);
end
$$;

/* Revokes a key: from then on it is refused, and a request that runs sees nothing more. Revoking it again changes nothing. */
create function public.revoke_api_key(key uuid) returns void
  language plpgsql security definer set search_path = ''
as $$
declare
  revoked public.api_keys;
begin
  if not exists (select from public.api_keys k where k.id = key and k.library_id in (select private.library_ids('owner'))) then
    raise exception 'The key is not there, or you are not an owner of its library.' using errcode = '42501';
  end if;
  update public.api_keys k set revoked_at = now(), revoked_by = auth.uid()
    where k.id = key and k.revoked_at is null returning * into revoked;
  if found then
    perform private.record(revoked.library_id, 'key.revoked', null, jsonb_build_object('name', revoked.name));
  end if;
end
$$;
grant execute on function public.create_api_key, public.revoke_api_key to authenticated;

create policy "only owners see what happened to keys" on public.activity as restrictive for select to authenticated
  using (verb !~ '^key\.' or library_id in (select private.library_ids('owner')));
