-- File requests: links by which people without an account send files to a collection. Files wait until a member accepts or discards them.

create table public.file_requests (
  id uuid primary key default gen_random_uuid(),
  library_id uuid not null references public.libraries on delete cascade,
  -- Null once the collection is deleted: the link then accepts nothing, and waiting files can be accepted outside all collections.
  collection_id uuid,
  title text not null check (char_length(trim(title)) between 1 and 200),
  words text not null default '' check (char_length(words) <= 2000), -- for the sender
  token_hash text not null unique, -- SHA-256, so that reading the table isn't enough to open the link
  expires_at timestamptz not null,
  most_files integer not null default 50 check (most_files between 1 and 500),
  largest_bytes bigint not null default 52428800 check (largest_bytes between 1 and 52428800),
  -- From supabase/functions/_shared/file-kinds.ts; null for all.
  allowed_types text[] check (cardinality(allowed_types) between 1 and 15 and array_position(allowed_types, null) is null
    and array_to_string(allowed_types, ' ') ~ '^(pdf|word|document|presentation|spreadsheet|book|mail|web|markdown|text|table|image|video|audio|other| )+$'),
  created_by uuid default auth.uid() references public.profiles on delete set null,
  created_at timestamptz not null default now(),
  closed_at timestamptz,
  -- All received files, including discarded ones.
  received integer not null default 0,
  -- When members were last notified of received files.
  told_at timestamptz not null default '-infinity',
  unique (id, library_id),
  check (expires_at > created_at and expires_at <= created_at + interval '1 year'),
  foreign key (collection_id, library_id) references public.collections (id, library_id) on delete set null (collection_id)
);

create index file_requests_library_id_idx on public.file_requests (library_id, created_at);
create index file_requests_collection_id_idx on public.file_requests (collection_id, library_id);
create index file_requests_created_by_idx on public.file_requests (created_by);

-- The token isn't granted: guard_file_request creates it.
grant select (id, library_id, collection_id, title, words, expires_at, most_files, largest_bytes, allowed_types, created_by, created_at,
    closed_at, received),
  insert (library_id, collection_id, title, words, expires_at, most_files, largest_bytes, allowed_types),
  update (closed_at, token_hash)
  on public.file_requests to authenticated;
grant execute on function private.new_token, private.hash_token to authenticated;

create policy "editors see file requests" on public.file_requests for select to authenticated
  using (library_id in (select private.library_ids('editor')) or collection_id in (select private.granted_collections('editor')));
create policy "editors make file requests" on public.file_requests for insert to authenticated
  with check (library_id in (select private.library_ids('editor')) or collection_id in (select private.granted_collections('editor')));
create policy "editors close file requests" on public.file_requests for update to authenticated
  using (library_id in (select private.library_ids('editor')) or collection_id in (select private.granted_collections('editor')));

/* Files received through a request. An accepted file's document has the same id. */
create table public.received_files (
  id uuid primary key default gen_random_uuid(),
  library_id uuid not null,
  request_id uuid not null,
  sender_name text not null check (char_length(sender_name) between 1 and 200),
  sender_address text not null default '' check (char_length(sender_address) <= 320),
  message text not null default '' check (char_length(message) <= 1000),
  file_name text not null check (char_length(file_name) between 1 and 255),
  title text not null check (char_length(title) between 1 and 300),
  size_bytes bigint not null check (size_bytes > 0),
  path text not null unique,
  content_hash text not null check (content_hash ~ '^[0-9a-f]{64}$'),
  state text not null default 'waiting' check (state in ('waiting', 'taken', 'discarded')),
  received_at timestamptz not null default now(),
  decided_by uuid references public.profiles on delete set null,
  decided_at timestamptz,
  document_id uuid,
  foreign key (request_id, library_id) references public.file_requests (id, library_id) on delete cascade,
  foreign key (document_id, library_id) references public.documents (id, library_id) on delete set null (document_id)
);

-- A file that is sent twice is received once.
create unique index received_files_content_idx on public.received_files (request_id, content_hash) where state <> 'discarded';
create index received_files_request_id_idx on public.received_files (request_id, library_id, received_at);
create index received_files_library_id_idx on public.received_files (library_id);
create index received_files_decided_by_idx on public.received_files (decided_by);
create index received_files_document_id_idx on public.received_files (document_id, library_id);

grant select, update (state) on public.received_files to authenticated;

create policy "who sees a request sees what came by it" on public.received_files for select to authenticated
  using (request_id in (select r.id from public.file_requests r));
create policy "who sees a request decides about what came by it" on public.received_files for update to authenticated
  using (request_id in (select r.id from public.file_requests r));

/* Sets what people must not choose: the token, which is left for the calling function, and the closing time. */
create function private.guard_file_request() returns trigger
  language plpgsql set search_path = ''
as $$
declare
  token constant text := private.new_token();
begin
  if (select auth.uid()) is null then return new; end if;
  if tg_op = 'INSERT' then
    if new.collection_id is null then
      perform private.refuse('collection_gone');
    end if;
    -- Serializes inserts, so that the limit holds.
    perform pg_advisory_xact_lock(hashtextextended('file requests of ' || new.library_id, 0));
    if (select count(*) from public.file_requests r
      where r.library_id = new.library_id and r.closed_at is null and r.expires_at > now()) >= 50
    then
      perform private.refuse('too_many_file_requests');
    end if;
  elsif old.closed_at is not null then
    perform private.refuse('file_request_closed');
  elsif new.closed_at is not null then
    new.closed_at := now();
  end if;
  if tg_op = 'INSERT' or new.token_hash is distinct from old.token_hash then
    new.token_hash := private.hash_token(token);
    perform set_config('carrel.file_request_token', token, true);
  end if;
  return new;
end
$$;
create trigger guard_file_request before insert or update of closed_at, token_hash on public.file_requests
  for each row execute function private.guard_file_request();

/* Creates a file request. Returns { id, token }; the token isn't stored. Applies the caller's rights. */
create function public.create_file_request(
  library uuid, collection uuid, title text, expires_at timestamptz, words text default '', most_files integer default 50,
  largest_bytes bigint default 52428800, allowed_types text[] default null
) returns jsonb
  language plpgsql set search_path = ''
as $$
#variable_conflict use_column
declare
  made uuid;
  detail text;
begin
  if not (library in (select private.library_ids('editor')) or collection in (select private.granted_collections('editor'))) then
    perform private.refuse('file_request_denied');
  end if;
  insert into public.file_requests (library_id, collection_id, title, words, expires_at, most_files, largest_bytes, allowed_types)
    values (library, collection, trim(create_file_request.title), create_file_request.words, create_file_request.expires_at,
      create_file_request.most_files, create_file_request.largest_bytes, create_file_request.allowed_types)
    returning id into made;
  return jsonb_build_object('id', made, 'token', current_setting('carrel.file_request_token'));
exception
  when foreign_key_violation then
    perform private.refuse('collection_gone');
  when not_null_violation or check_violation then
    -- Errors with a code of ours are raised unchanged.
    get stacked diagnostics detail = pg_exception_detail;
    if private.refusal(detail, sqlerrm) is not null then raise; end if;
    perform private.refuse('file_request_invalid');
end
$$;
grant execute on function public.create_file_request to authenticated;

/* Gives an open request a new link; the old one stops working. Returns { id, token }. */
create function public.replace_file_request(request uuid) returns jsonb
  language plpgsql set search_path = ''
as $$
begin
  update public.file_requests r set token_hash = '' where r.id = request;
  if not found then
    perform private.refuse('file_request_denied');
  end if;
  return jsonb_build_object('id', request, 'token', current_setting('carrel.file_request_token'));
end
$$;
grant execute on function public.replace_file_request to authenticated;

/* An accepted file is added with the member's own rights. Only waiting files can be accepted or discarded. */
create function private.decide_received_file() returns trigger
  language plpgsql set search_path = ''
as $$
begin
  if (select auth.uid()) is null then return new; end if;
  if old.state <> 'waiting' or new.state = 'waiting' then
    perform private.refuse('received_file_decided');
  end if;
  new.decided_by := auth.uid();
  new.decided_at := now();
  if new.state = 'taken' then
    new.document_id := (public.add_file(new.library_id, new.id, new.path, new.file_name, new.title,
      (select r.collection_id from public.file_requests r where r.id = new.request_id), new.content_hash)).id;
  end if;
  return new;
end
$$;
create trigger decide_received_file before update of state on public.received_files
  for each row execute function private.decide_received_file();

/* Requests of a link, and files sent, within an hour. `subject` is the hash of an IP address, or a request. */
create table private.sending_attempts (
  subject text not null,
  hour timestamptz not null,
  attempts integer not null default 1,
  primary key (subject, hour)
);

create index sending_attempts_hour_idx on private.sending_attempts (hour);

/* Counts an attempt. Returns whether it's within the first `most` of the hour. */
create function private.is_within_rate(subject text, most integer) returns boolean
  language sql set search_path = ''
as $$
  insert into private.sending_attempts as a (subject, hour) values (is_within_rate.subject, date_trunc('hour', now()))
  on conflict on constraint sending_attempts_pkey do update set attempts = a.attempts + 1
  returning attempts <= most
$$;
grant execute on function private.is_within_rate, private.hash_token to service_role;

/* Returns the request behind a link; null if it's unknown, expired, closed or full.
   sender: an IP address; { verdict: "busy" } if it exceeds the rate limit */
create function public.find_file_request(token text, sender text, is_sending boolean) returns jsonb
  language plpgsql set search_path = ''
as $$
declare
  request public.file_requests;
begin
  if not private.is_within_rate('from ' || private.hash_token(find_file_request.sender), 300) then return '{"verdict": "busy"}'; end if;
  select * into request from public.file_requests r
    where r.token_hash = private.hash_token(find_file_request.token) and r.closed_at is null and r.expires_at > now()
      and r.received < r.most_files and r.collection_id is not null;
  if not found then return null; end if;
  if is_sending and not private.is_within_rate('to ' || request.id, 200) then return '{"verdict": "busy"}'; end if;
  return jsonb_build_object('verdict', 'open', 'id', request.id, 'library', request.library_id, 'title', request.title,
    'words', request.words, 'expires_at', request.expires_at, 'left', request.most_files - request.received,
    'largest_bytes', request.largest_bytes, 'allowed_types', request.allowed_types);
end
$$;
grant execute on function public.find_file_request to service_role;

/* Registers a stored file of a request.

   file: { id, path, sender_name, sender_address, message, file_name, title, size_bytes, content_hash }

   Returns "open" if it's waiting now, "known" if it had been received before, or null if the request no longer accepts files. */
create function public.store_received_file(request uuid, file jsonb) returns text
  language plpgsql set search_path = ''
as $$
declare
  held public.file_requests;
begin
  -- Serializes a request's files, so that its limit holds.
  select * into held from public.file_requests r where r.id = request and r.closed_at is null and r.expires_at > now() for no key update;
  if not found then return null; end if;
  if exists (select from public.received_files f
    where f.request_id = request and f.content_hash = file ->> 'content_hash' and f.state <> 'discarded') then return 'known'; end if;
  if held.received >= held.most_files then return null; end if;
  update public.file_requests r set received = r.received + 1 where r.id = request;
  insert into public.received_files (id, library_id, request_id, path, sender_name, sender_address, message, file_name, title, size_bytes, content_hash)
    values ((file ->> 'id')::uuid, held.library_id, request, file ->> 'path', file ->> 'sender_name', file ->> 'sender_address',
      file ->> 'message', file ->> 'file_name', file ->> 'title', (file ->> 'size_bytes')::bigint, file ->> 'content_hash');
  return 'open';
end
$$;
grant execute on function public.store_received_file to service_role;

/* Deletes discarded files, and those not accepted within thirty days after their request ended. unreferenced_files finds the stored files. */
create function public.purge_received_files() returns integer
  language sql set search_path = ''
as $$
  with forgotten as (
    delete from private.sending_attempts a where a.hour < now() - interval '1 day'
  ), purged as (
    delete from public.received_files f using public.file_requests r
    where r.id = f.request_id and (f.state = 'discarded' and f.decided_at < now() - interval '1 day'
      or f.state = 'waiting' and least(r.expires_at, r.closed_at) < now() - interval '30 days')
    returning 1
  )
  select count(*)::integer from purged
$$;
grant execute on function public.purge_received_files to service_role;

/* Notifies editors about received files, `quiet` after the last one and once an hour per request. Merges an unread earlier notification. */
create function private.notify_of_received_files(quiet interval default '20 seconds') returns void
  language plpgsql set search_path = ''
as $$
declare
  told record;
begin
  for told in
    select r.id, r.library_id, r.collection_id, count(*)::integer as waiting
    from public.file_requests r
    join public.received_files f on f.request_id = r.id and f.state = 'waiting'
    where r.told_at <= now() - interval '1 hour'
    group by r.id having max(f.received_at) > r.told_at and max(f.received_at) <= now() - quiet
  loop
    update public.file_requests r set told_at = now() where r.id = told.id;
    delete from public.notifications n where n.request_id = told.id and n.read_at is null;
    insert into public.notifications (user_id, kind, library_id, request_id, amount)
      with recursive above (id, parent_id) as (
        select c.id, c.parent_id from public.collections c where c.id = told.collection_id
        union
        select c.id, c.parent_id from public.collections c join above a on a.parent_id = c.id
      )
      select m.user_id, 'request'::public.notification_kind, told.library_id, told.id, told.waiting from public.members m
        where m.library_id = told.library_id and m.role >= 'editor'
      union
      select g.user_id, 'request', told.library_id, told.id, told.waiting
        from public.collection_grants g join above a on a.id = g.collection_id where g.role >= 'editor'
      union
      select m.user_id, 'request', told.library_id, told.id, told.waiting
        from public.group_grants g join above a on a.id = g.collection_id join public.group_members m on m.group_id = g.group_id
        where g.role >= 'editor';
  end loop;
end
$$;
