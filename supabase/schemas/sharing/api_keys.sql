-- API keys: a program acts in one library as the owner who created the key, limited by its scopes.

create table public.api_keys (
  id uuid primary key default gen_random_uuid(),
  library_id uuid not null references public.libraries on delete cascade,
  name text not null check (char_length(trim(name)) between 1 and 80 and name !~ '[[:cntrl:]]'),
  -- Write and comment scopes include reading; a comment is visible only with its document.
  scopes text[] not null check (
    cardinality(scopes) > 0
    and scopes <@ array['documents:read', 'documents:write', 'search', 'comments:read', 'comments:write', 'members:read']
    and ('documents:read' = any (scopes) or not scopes && array['documents:write', 'comments:read'])
    and ('comments:read' = any (scopes) or not scopes && array['comments:write'])
  ),
  key_hash text not null unique, -- SHA-256, so that reading the table isn't enough to use the key
  ending text not null, -- the last four characters, for display
  -- Created in a session with a second factor, which a library may require.
  has_second_factor boolean not null,
  -- A key acts as this person and is deleted with their account.
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

grant select (id, library_id, name, scopes, ending, has_second_factor, created_by, created_at, expires_at, last_used_at, revoked_at, revoked_by)
  on public.api_keys to authenticated;
grant update (revoked_at) on public.api_keys to authenticated;

create policy "owners see the keys of their libraries" on public.api_keys for select to authenticated
  using (library_id in (select private.library_ids('owner')));
create policy "owners revoke the keys of their libraries" on public.api_keys for update to authenticated
  using (library_id in (select private.library_ids('owner')));

/* Returns a new key: `carrel_`, 160 random bits in hexadecimal, and eight digits of their SHA-256, by which secret scanners and the
   function `api` recognize keys. */
create function private.new_api_key() returns text
  language sql volatile set search_path = ''
as $$
  select secret || left(private.hash_token(secret), 8)
  from (select 'carrel_' || encode(extensions.gen_random_bytes(20), 'hex') as secret) s
$$;

/* Creates a key of a library. For owners. Returns { id, key, expires_at }; the key isn't stored.

   scopes   `documents:write` and `comments:write` include reading, and comments the documents they are about
   days     lifetime; null until it is revoked

   Runs as its owner because users can't write a key's hash. */
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
  -- Serializes inserts, so that the limit holds.
  perform from public.libraries l where l.id = library and l.id in (select private.library_ids('owner')) for no key update;
  if not found then
    perform private.refuse('keys_need_owner');
  end if;
  if wanted is null or cardinality(wanted) = 0 or not wanted <@ allowed then
    perform private.refuse('key_scopes_invalid', jsonb_build_object('scopes', array_to_string(allowed, ', ')));
  end if;
  if wanted && array['comments:write'] then wanted := wanted || array['comments:read']; end if;
  if wanted && array['documents:write', 'comments:read'] then wanted := wanted || array['documents:read']; end if;
  if days not between 1 and 3650 then
    perform private.refuse('key_days_invalid');
  end if;
  -- Revoked and expired keys stay listed for three months.
  delete from public.api_keys k
    where k.library_id = library and least(k.revoked_at, k.expires_at) < now() - interval '90 days';
  if (select count(*) from public.api_keys k where k.library_id = library and k.revoked_at is null) >= 50 then
    perform private.refuse('too_many_keys');
  end if;
  insert into public.api_keys (library_id, name, scopes, key_hash, ending, has_second_factor, created_by, expires_at)
    values (library, trim(create_api_key.name), array(select scope from unnest(allowed) scope where scope = any (wanted)),
      private.hash_token(secret), right(secret, 4), private.has_second_factor(), auth.uid(), now() + make_interval(days => days))
    returning * into made;
  return jsonb_build_object('id', made.id, 'key', secret, 'expires_at', made.expires_at);
end
$$;
grant execute on function public.create_api_key to authenticated;

-- Sets the revocation's time and author, once.
create function private.guard_api_key() returns trigger
  language plpgsql set search_path = ''
as $$
begin
  if (select auth.uid()) is not null then
    new.revoked_at := coalesce(old.revoked_at, now());
    new.revoked_by := case when old.revoked_at is null then auth.uid() else old.revoked_by end;
  end if;
  return new;
end
$$;
create trigger guard_api_key before update of revoked_at on public.api_keys
  for each row execute function private.guard_api_key();

-- Why a definer: users can't write the log.
create function private.record_api_key() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    perform private.record(new.library_id, 'key.created', null,
      jsonb_build_object('name', new.name, 'scopes', to_jsonb(new.scopes), 'expires_at', new.expires_at));
  elsif old.revoked_at is null then
    perform private.record(new.library_id, 'key.revoked', null, jsonb_build_object('name', new.name));
  end if;
  return null;
end
$$;
create trigger record_api_key after insert or update of revoked_at on public.api_keys
  for each row execute function private.record_api_key();

/* Revokes a key: new requests are rejected, and running ones see nothing more. Idempotent. Applies the caller's rights. */
create function public.revoke_api_key(key uuid) returns void
  language plpgsql set search_path = ''
as $$
begin
  update public.api_keys k set revoked_at = now() where k.id = key;
  if not found then
    perform private.refuse('key_denied');
  end if;
end
$$;
grant execute on function public.revoke_api_key to authenticated;

grant usage on schema public, private to api_key;

/* Returns the request's key; no row if it's revoked, expired or not the caller's. Checked per statement, which ends running requests. */
create function private.current_api_key() returns setof public.api_keys
  language sql stable set search_path = '' rows 1
as $$
  select k.* from public.api_keys k
  where k.id = nullif(current_setting('carrel.api_key', true), '')::uuid and k.created_by = (select auth.uid())
    and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
$$;

-- Returns the key's library if it has the scope, or regardless without one.
-- Why a definer: the policies for keys use it, and keys can't see themselves.
create function private.api_key_library(scope text default null) returns setof uuid
  language sql stable security definer set search_path = '' rows 1
as $$ select k.library_id from private.current_api_key() k where scope is null or scope = any (k.scopes) $$;

create policy "keys read profiles by scope" on public.profiles as restrictive for all to api_key
  using (exists (select private.api_key_library('members:read'))) with check (false);
-- … but only in its library, and with the scope for it. Policies for this role only, so people's requests don't evaluate them.
create policy "keys read their library" on public.libraries as restrictive for all to api_key
  using (id in (select private.api_key_library())) with check (false);
create policy "keys read members by scope" on public.members as restrictive for all to api_key
  using (library_id in (select private.api_key_library('members:read'))) with check (false);
create policy "keys read and add collections by scope" on public.collections as restrictive for all to api_key
  using (library_id in (select private.api_key_library('documents:read')))
  with check (library_id in (select private.api_key_library('documents:write')));
create policy "keys read and write documents by scope" on public.documents as restrictive for all to api_key
  using (library_id in (select private.api_key_library('documents:read')))
  with check (library_id in (select private.api_key_library('documents:write')));
create policy "keys read versions by scope" on public.versions as restrictive for all to api_key
  using (library_id in (select private.api_key_library('documents:read')))
  with check (library_id in (select private.api_key_library('documents:write')));
create policy "keys read passages by scope" on public.passages as restrictive for all to api_key
  using (library_id in (select private.api_key_library('documents:read'))) with check (false);
create policy "keys read and add tags by scope" on public.tags as restrictive for all to api_key
  using (library_id in (select private.api_key_library('documents:read')))
  with check (library_id in (select private.api_key_library('documents:write')));
create policy "keys read and put tags by scope" on public.document_tags as restrictive for all to api_key
  using (library_id in (select private.api_key_library('documents:read')))
  with check (library_id in (select private.api_key_library('documents:write')));
create policy "keys take tags off by scope" on public.document_tags as restrictive for delete to api_key
  using (library_id in (select private.api_key_library('documents:write')));
create policy "keys read fields by scope" on public.collection_fields as restrictive for all to api_key
  using (library_id in (select private.api_key_library('documents:read'))) with check (false);
create policy "keys read options by scope" on public.field_options as restrictive for all to api_key
  using (library_id in (select private.api_key_library('documents:read'))) with check (false);
create policy "keys read values by scope" on public.field_values as restrictive for all to api_key
  using (library_id in (select private.api_key_library('documents:read'))) with check (false);
create policy "keys read and write comments by scope" on public.comments as restrictive for all to api_key
  using (library_id in (select private.api_key_library('comments:read')))
  with check (library_id in (select private.api_key_library('comments:write')));
create policy "keys delete comments by scope" on public.comments as restrictive for delete to api_key
  using (library_id in (select private.api_key_library('comments:write')));
grant execute on function private.api_key_library to api_key;

-- Whether a key reaches a library with this role. It is never an owner.
create function private.api_key_reaches(library uuid, at_least public.member_role) returns boolean
  language sql stable set search_path = ''
as $$
  select exists (
    select from private.current_api_key() k
    where k.library_id = library
      and at_least <= case when 'documents:write' = any (k.scopes) then 'editor' else 'reader' end::public.member_role)
$$;

-- Activity shows the key's owner and the key.
create function private.name_api_key() returns trigger
  language plpgsql set search_path = ''
as $$
begin
  new.subject := new.subject || jsonb_build_object('api_key', (select k.name from private.current_api_key() k));
  return new;
end
$$;
create trigger name_api_key before insert on public.activity
  for each row when (current_setting('role') = 'api_key') execute function private.name_api_key();

/* A key's requests in the current minute. Unlogged: a crash resets it. */
create unlogged table private.api_key_uses (
  key_id uuid primary key references public.api_keys on delete cascade,
  began_at timestamptz not null,
  requests integer not null
);

/* Looks up a key by its SHA-256 and counts the request. No row if it doesn't exist.

   outcome      `ok`, or why it is rejected: `revoked`, `expired`, `too_many`, `not_a_member` (its owner has left the library or
                can't sign in), `second_factor` (the library requires one, and the key was created without)
   remaining    requests left in this minute
   resets_in    seconds until the next minute begins

   The hash is looked up in an index: timing reveals nothing about 160 random bits. */
create function private.use_api_key(hash text) returns table (
  id uuid, library_id uuid, name text, scopes text[], expires_at timestamptz, outcome text, remaining integer, resets_in integer
)
  language plpgsql set search_path = ''
as $$
#variable_conflict use_column
declare
  most constant integer := 300;
  used public.api_keys;
  counted private.api_key_uses;
begin
  select * into used from public.api_keys k where k.key_hash = hash;
  if not found then return; end if;
  insert into private.api_key_uses as u (key_id, began_at, requests) values (used.id, now(), 1)
    on conflict (key_id) do update set
      began_at = case when u.began_at > now() - interval '1 minute' then u.began_at else now() end,
      requests = case when u.began_at > now() - interval '1 minute' then u.requests + 1 else 1 end
    returning * into counted;
  outcome := case
    when used.revoked_at is not null then 'revoked'
    when used.expires_at <= now() then 'expired'
    when counted.requests > most then 'too_many'
    when not exists (select from public.members m where m.library_id = used.library_id and m.user_id = used.created_by)
      or exists (select from auth.users u where u.id = used.created_by and u.banned_until > now()) then 'not_a_member'
    when not used.has_second_factor
      and exists (select from public.libraries l where l.id = used.library_id and l.require_second_factor) then 'second_factor'
    else 'ok'
  end;
  if outcome = 'ok' then
    update public.api_keys k set last_used_at = now()
      where k.id = used.id and (k.last_used_at is null or k.last_used_at < now() - interval '1 minute');
  end if;
  return query select used.id, used.library_id, used.name, used.scopes, used.expires_at, outcome,
    greatest(most - counted.requests, 0), ceil(extract(epoch from counted.began_at + interval '1 minute' - now()))::integer;
end
$$;

/* Makes the transaction act as the key's owner, before it takes the role `api_key`. The second factor is that of the session that created
   the key. Raises PT401 if it's no longer valid. */
create function private.enter_api_key(key uuid) returns void
  language plpgsql set search_path = ''
as $$
declare
  used public.api_keys;
begin
  select * into used from public.api_keys k
    where k.id = key and k.revoked_at is null and (k.expires_at is null or k.expires_at > now());
  if not found then
    perform private.refuse('key_ended');
  end if;
  perform set_config('request.jwt.claims', jsonb_build_object('sub', used.created_by, 'role', 'authenticated',
      'aal', case when used.has_second_factor then 'aal2' else 'aal1' end)::text, true),
    set_config('carrel.api_key', used.id::text, true),
    -- The Data API's limit on hosted projects.
    set_config('statement_timeout', '8000', true);
end
$$;

-- Stored responses by Idempotency-Key, for a day.
create table private.api_replies (
  key_id uuid not null references public.api_keys on delete cascade,
  name text not null check (char_length(name) between 1 and 255),
  request_hash text not null,
  status integer,
  body jsonb,
  created_at timestamptz not null default now(),
  primary key (key_id, name)
);

/* Returns the stored response for this name; no row the first time, for store_api_reply(). Waits for a concurrent request. `is_same` is
   false if the name was used for another request.
   Why a definer: responses are visible only to the same key's next request. */
create function private.earlier_api_reply(name text, request_hash text) returns table (status integer, body jsonb, is_same boolean)
  language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  key constant uuid := (select k.id from private.current_api_key() k);
begin
  delete from private.api_replies r where r.key_id = key and r.created_at < now() - interval '1 day';
  insert into private.api_replies (key_id, name, request_hash)
    values (key, earlier_api_reply.name, earlier_api_reply.request_hash) on conflict (key_id, name) do nothing;
  if found then return; end if;
  return query select r.status, r.body, r.request_hash = earlier_api_reply.request_hash from private.api_replies r
    where r.key_id = key and r.name = earlier_api_reply.name;
end
$$;
grant execute on function private.earlier_api_reply to api_key;

-- Why a definer: responses are visible only to the same key's next request.
create function private.store_api_reply(name text, status integer, body jsonb) returns void
  language sql security definer set search_path = ''
as $$
  update private.api_replies r set status = store_api_reply.status, body = store_api_reply.body
  from private.current_api_key() k where r.key_id = k.id and r.name = store_api_reply.name
$$;
grant execute on function private.store_api_reply to api_key;

-- shelf_page() and search_passages() for the key's library; nothing without the scope.
-- Why a definer: a key may not call the functions for people.
create function private.api_shelf(
  filters jsonb, field uuid, sort text, descending boolean, after jsonb, max_results integer
) returns table (document_id uuid, place jsonb, total integer, n bigint)
  language sql stable security definer set search_path = ''
as $$
  select s.* from private.current_api_key() k,
    public.shelf_page(k.library_id, filters, field, sort, descending, after, max_results) with ordinality s
  where 'documents:read' = any (k.scopes)
$$;
grant execute on function private.api_shelf to api_key;

-- Why a definer: a key may not call the functions for people.
create function private.api_search(query text, embedding text, model text, filters jsonb, max_results integer)
  returns table (passage jsonb, n bigint)
  language sql stable security definer set search_path = ''
as $$
  select to_jsonb(s) - 'n', s.n from private.current_api_key() k,
    public.search_passages(k.library_id, query, embedding::extensions.vector, model, filters, max_results) with ordinality
      s (passage_id, document_id, version_id, title, kind, mime_type, page, heading, content, start_offset, end_offset, highlights,
        score, matched, related, more_in_document, searched, recognized, n)
  where 'search' = any (k.scopes)
$$;
grant execute on function private.api_search to api_key;

-- set_field_value() for a document of the key's library. Why a definer: a key may not call the functions for people.
create function private.api_set_field(document uuid, field uuid, value jsonb) returns void
  language plpgsql security definer set search_path = ''
as $$
begin
  perform from public.documents d where d.id = document and d.library_id in (select private.api_key_library('documents:write'));
  if not found then
    perform private.refuse('document_denied_to_key');
  end if;
  perform public.set_field_value(array[document], field, value);
end
$$;
grant execute on function private.api_set_field to api_key;
