-- Requests of the function `api`: how a key is recognized, how often it may ask, and what it is answered a second time
/* How many requests a key has made in its current minute. Unlogged: after a crash the minute begins again. */
create unlogged table private.api_key_uses (
  key_id uuid primary key references public.api_keys on delete cascade,
  began_at timestamptz not null,
  requests integer not null
);

/* Recognizes a key by the SHA-256 of it and counts the request. No row when there is no such key.

   outcome      `ok`, or why it is refused: `revoked`, `expired`, `too_many`, `not_a_member` (its maker has left the library or cannot
                sign in), `second_factor` (the library requires one, and the key was made without)
   remaining    requests left in this minute
   resets_in    seconds until the next minute begins

   The hash is looked up in an index: how long that takes tells nothing of a secret with 160 random bits. */
create function private.use_api_key(hash text) returns table (
  id uuid, library_id uuid, name text, scopes text[], expires_at timestamptz, outcome text, remaining integer, resets_in integer
)
  language plpgsql security definer set search_path = ''
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

/* Makes this transaction one of the key's maker, before it takes the role `api_key`. The second factor is that of the session in which
   the key was made. Refused (PT401) for a key that does not hold any more. */
create function private.enter_api_key(key uuid) returns void
  language plpgsql security definer set search_path = ''
as $$
declare
  used public.api_keys;
begin
  select * into used from public.api_keys k
    where k.id = key and k.revoked_at is null and (k.expires_at is null or k.expires_at > now());
  if not found then
    raise exception 'This key has just been revoked, or has expired.' using errcode = 'PT401';
  end if;
  perform set_config('request.jwt.claims', jsonb_build_object('sub', used.created_by, 'role', 'authenticated',
      'aal', case when used.has_second_factor then 'aal2' else 'aal1' end)::text, true),
    set_config('carrel.api_key', used.id::text, true),
    -- As long as a request of the Data API may take on a hosted project.
    set_config('statement_timeout', '8000', true);
end
$$;

-- What was answered to a request that names itself (Idempotency-Key): the same request is answered the same for a day.
create table private.api_replies (
  key_id uuid not null references public.api_keys on delete cascade,
  name text not null check (char_length(name) between 1 and 255),
  request_hash text not null,
  status integer,
  body jsonb,
  created_at timestamptz not null default now(),
  primary key (key_id, name)
);

/* The reply to an earlier request of this name; no row when it is the first, which then replies by keep_api_reply() in the same
   transaction. One that runs at the same time is waited for. `is_same` is false where the name stood for another request. */
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
create function private.keep_api_reply(name text, status integer, body jsonb) returns void
  language sql security definer set search_path = ''
as $$
  update private.api_replies r set status = keep_api_reply.status, body = keep_api_reply.body
  from private.current_api_key() k where r.key_id = k.id and r.name = keep_api_reply.name
$$;

-- shelf_page() and search_passages() of the key's library; nothing without the scope.
create function private.api_shelf(
  filters jsonb, field uuid, sort text, descending boolean, after jsonb, max_results integer
) returns table (document_id uuid, place jsonb, total integer, n bigint)
  language sql stable security definer set search_path = ''
as $$
  select s.* from private.current_api_key() k,
    public.shelf_page(k.library_id, filters, field, sort, descending, after, max_results) with ordinality s
  where 'documents:read' = any (k.scopes)
$$;
create function private.api_search(query text, embedding text, model text, filters jsonb, max_results integer)
  returns table (passage jsonb, n bigint)
  language sql stable security definer set search_path = ''
as $$
  select to_jsonb(s) - 'n', s.n from private.current_api_key() k,
    public.search_passages(k.library_id, query, embedding::extensions.vector(384), model, filters, max_results) with ordinality
      s (passage_id, document_id, version_id, title, kind, mime_type, page, heading, content, start_offset, end_offset, highlights,
        score, matched, related, more_in_document, searched, recognized, n)
  where 'search' = any (k.scopes)
$$;
-- set_field_value() of a document of the key's library.
create function private.api_set_field(document uuid, field uuid, value jsonb) returns void
  language plpgsql security definer set search_path = ''
as $$
begin
  perform from public.documents d where d.id = document and d.library_id in (select private.api_key_library('documents:write'));
  if not found then
    raise exception 'The key may not change this document.' using errcode = '42501';
  end if;
  perform public.set_field_value(array[document], field, value);
end
$$;
grant execute on function private.earlier_api_reply, private.keep_api_reply, private.api_shelf, private.api_search,
  private.api_set_field to api_key;
