-- Addresses for mail to a library: `<name>+<secret>@<domain>`.

create function private.new_mail_secret() returns text
  language sql volatile set search_path = ''
as $$
  -- 20 characters of 5 random bits each, in lower case, because mail servers may change an address's case.
  select string_agg(substr('abcdefghijklmnopqrstuvwxyz234567', 1 + (get_byte(random.bytes, place) & 31), 1), '' order by place)
  from (select extensions.gen_random_bytes(20) as bytes) random, generate_series(0, 19) place
$$;

/* Returns the readable part of an address, from a library's or collection's name. */
create function private.mail_name(title text) returns text
  language sql immutable strict set search_path = ''
as $$
  select coalesce(nullif(trim('-' from left(trim('-' from regexp_replace(
    regexp_replace(lower(normalize(title, NFKD)), '[\u0300-\u036f]', '', 'g'), '[^a-z0-9]+', '-', 'g')), 30)), ''), 'library')
$$;

create table public.mail_addresses (
  id uuid primary key default gen_random_uuid(),
  library_id uuid not null references public.libraries on delete cascade,
  -- Null: outside all collections, also after the collection is deleted.
  collection_id uuid,
  name text not null check (name ~ '^[a-z0-9]([a-z0-9-]{0,28}[a-z0-9])?$'),
  secret text not null default private.new_mail_secret() check (secret ~ '^[a-z2-7]{20}$'),
  -- Looked up instead of the secret, so that timing reveals nothing about it.
  secret_hash text not null unique generated always as (private.hash_token(secret)) stored,
  -- Senders can be forged: "members" keeps out mistakes, not attackers.
  senders text not null default 'members' check (senders in ('members', 'everybody')),
  enabled boolean not null default true,
  -- Who created the address or last replaced its secret, and so adds what arrives.
  made_by uuid references public.profiles on delete set null,
  made_at timestamptz not null default now(),
  unique (id, library_id),
  foreign key (collection_id, library_id) references public.collections (id, library_id) on delete set null (collection_id)
);

create index mail_addresses_library_id_idx on public.mail_addresses (library_id, made_at);
create index mail_addresses_collection_id_idx on public.mail_addresses (collection_id, library_id);
create index mail_addresses_made_by_idx on public.mail_addresses (made_by);

-- Secrets and creators aren't granted: guard_mail_address sets them.
grant select, delete, insert (library_id, collection_id, senders), update (collection_id, senders, enabled, secret)
  on public.mail_addresses to authenticated;
grant execute on function private.new_mail_secret, private.mail_name, private.hash_token to authenticated;

create policy "editors see the library's mail addresses" on public.mail_addresses for select to authenticated
  using (library_id in (select private.library_ids('editor')));
create policy "editors make mail addresses" on public.mail_addresses for insert to authenticated
  with check (library_id in (select private.library_ids('editor')));
create policy "editors change mail addresses" on public.mail_addresses for update to authenticated
  using (library_id in (select private.library_ids('editor'))) with check (library_id in (select private.library_ids('editor')));
create policy "editors end mail addresses" on public.mail_addresses for delete to authenticated
  using (library_id in (select private.library_ids('editor')));

create table public.received_mails (
  id bigint generated always as identity primary key,
  library_id uuid not null,
  address_id uuid not null,
  message_hash text not null check (message_hash ~ '^[0-9a-f]{64}$'), -- SHA-256 of the Message-ID
  sender_name text not null default '' check (char_length(sender_name) <= 200),
  sender_address text not null default '' check (char_length(sender_address) <= 320),
  subject text not null default '' check (char_length(subject) <= 300),
  outcome text not null check (outcome in ('added', 'off', 'owner', 'sender', 'attachments')),
  documents integer not null default 0 check (documents >= 0),
  -- The note, or the file of a mail that is only a file.
  document_id uuid,
  received_at timestamptz not null default now(),
  foreign key (address_id, library_id) references public.mail_addresses (id, library_id) on delete cascade,
  foreign key (document_id, library_id) references public.documents (id, library_id) on delete set null (document_id)
);

-- A mail that is sent twice is added once.
create unique index received_mails_message_idx on public.received_mails (address_id, message_hash) where outcome = 'added';
create index received_mails_address_id_idx on public.received_mails (address_id, library_id, id desc);
-- For the hourly limit.
create index received_mails_received_at_idx on public.received_mails (address_id, received_at) where outcome = 'added';
create index received_mails_library_id_idx on public.received_mails (library_id);
create index received_mails_document_id_idx on public.received_mails (document_id, library_id);

grant select on public.received_mails to authenticated;

create policy "editors see what came by mail" on public.received_mails for select to authenticated
  using (library_id in (select private.library_ids('editor')));

/* The sender and date of a document that came by mail. */
create table public.document_mails (
  document_id uuid not null,
  library_id uuid not null,
  sender_name text not null default '' check (char_length(sender_name) <= 200),
  sender_address text not null default '' check (char_length(sender_address) <= 320),
  sent_at timestamptz check (isfinite(sent_at)),
  primary key (document_id, library_id),
  foreign key (document_id, library_id) references public.documents (id, library_id) on delete cascade
);

create index document_mails_library_id_idx on public.document_mails (library_id);

grant select on public.document_mails to authenticated;

create policy "who sees a document sees who mailed it" on public.document_mails for select to authenticated
  using (library_id in (select private.library_ids('guest')) and exists (select from public.documents d where d.id = document_id));

/* Sets what people must not choose: an address's name, secret and owner. */
create function private.guard_mail_address() returns trigger
  language plpgsql set search_path = ''
as $$
begin
  if (select auth.uid()) is null then return new; end if;
  if tg_op = 'UPDATE' then
    new.secret := private.new_mail_secret();
  else
    -- Serializes inserts, so that the limit holds.
    perform pg_advisory_xact_lock(hashtextextended('mail addresses of ' || new.library_id, 0));
    if (select count(*) from public.mail_addresses a where a.library_id = new.library_id) >= 50 then
      perform private.refuse('too_many_mail_addresses');
    end if;
    if new.collection_id is null then
      select private.mail_name(l.name) into new.name from public.libraries l where l.id = new.library_id;
    else
      select private.mail_name(c.name) into new.name from public.collections c
        where c.id = new.collection_id and c.library_id = new.library_id;
      if not found then
        perform private.refuse('collection_gone');
      end if;
    end if;
  end if;
  new.made_by := auth.uid();
  new.made_at := now();
  return new;
end
$$;
create trigger guard_mail_address before insert or update of secret on public.mail_addresses
  for each row execute function private.guard_mail_address();

/* Creates an address of a library or collection. Applies the caller's rights. */
create function public.create_mail_address(library uuid, collection uuid default null, senders text default 'members')
  returns public.mail_addresses
  language plpgsql set search_path = ''
as $$
#variable_conflict use_column
declare
  made public.mail_addresses;
begin
  if library not in (select private.library_ids('editor')) then
    perform private.refuse('mail_address_denied');
  end if;
  insert into public.mail_addresses (library_id, collection_id, senders)
    values (library, collection, create_mail_address.senders) returning * into made;
  return made;
end
$$;
grant execute on function public.create_mail_address to authenticated;

/* Replaces an address's secret: mails to the old one are rejected. The caller becomes the author of what arrives. Applies their rights. */
create function public.replace_mail_address(address uuid) returns public.mail_addresses
  language plpgsql set search_path = ''
as $$
declare
  replaced public.mail_addresses;
begin
  update public.mail_addresses a set secret = default where a.id = address returning * into replaced;
  if not found then
    perform private.refuse('mail_address_not_replaceable');
  end if;
  return replaced;
end
$$;
grant execute on function public.replace_mail_address to authenticated;

/* Returns "open", or why a mail is rejected:
   off     the address is turned off
   owner   its creator may no longer add documents
   sender  only members may send, and the sender isn't one
   known   already added
   busy    more than 200 mails within an hour
   A sender may have two accounts with the same address. */
create function private.mail_verdict(address public.mail_addresses, sender text, message text) returns text
  language sql stable set search_path = ''
as $$
  select case
    when not address.enabled then 'off'
    when not exists (
      select from public.members m
      where m.library_id = address.library_id and m.user_id = address.made_by and m.role >= 'editor') then 'owner'
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

/* Returns { id, library, verdict } for an address's secret and a mail, or null. message: the Message-ID's SHA-256 in hexadecimal.
   Why a definer: the service role can't read the addresses of accounts. */
create function public.find_mail_address(secret text, sender text, message text) returns jsonb
  language sql stable security definer set search_path = ''
as $$
  select jsonb_build_object('id', a.id, 'library', a.library_id,
    'verdict', private.mail_verdict(a, find_mail_address.sender, find_mail_address.message))
  from public.mail_addresses a where a.secret_hash = private.hash_token(find_mail_address.secret)
$$;
grant execute on function public.find_mail_address to service_role;

/* Adds all documents of a mail, or none, on behalf of the address's owner.

   mail  { sender_name, sender_address, sent_at, subject,
           note: { id, title, body } or null,
           files: [{ id, path, file_name, title, content_hash, attachments }] }, whose files and pictures are already uploaded

   Returns the verdict: "open" if they were added.
   Why a definer: the service role can't read the addresses of accounts or call functions for people. */
create function public.add_mail(address uuid, message text, mail jsonb) returns text
  language plpgsql security definer set search_path = ''
as $$
declare
  held public.mail_addresses;
  caller constant text := coalesce(current_setting('request.jwt.claims', true), '');
  note constant jsonb := nullif(mail -> 'note', 'null');
  file jsonb;
  verdict text;
  received bigint;
  added uuid[] := '{}';
begin
  select * into held from public.mail_addresses a where a.id = address for share;
  if not found then return 'unknown'; end if;
  verdict := private.mail_verdict(held, mail ->> 'sender_address', message);
  if verdict <> 'open' then return verdict; end if;
  -- A concurrent copy of the same mail waits here.
  insert into public.received_mails (library_id, address_id, message_hash, sender_name, sender_address, subject, outcome)
    values (held.library_id, held.id, message, mail ->> 'sender_name', mail ->> 'sender_address', mail ->> 'subject', 'added')
  on conflict do nothing returning id into received;
  if received is null then return 'known'; end if;

  -- Authors, activity and notifications work as if the owner added them.
  perform set_config('request.jwt.claims', jsonb_build_object('sub', held.made_by, 'role', 'authenticated')::text, true);
  for file in select * from jsonb_array_elements(mail -> 'files') loop
    added := added || (public.add_file(held.library_id, (file ->> 'id')::uuid, file ->> 'path', file ->> 'file_name', file ->> 'title',
      held.collection_id, file ->> 'content_hash', (file ->> 'attachments')::boolean)).id;
  end loop;
  -- After the files, because its links must lead to existing documents.
  if note is not null then
    added := (public.add_note(held.library_id, note ->> 'title', note ->> 'body', held.collection_id, (note ->> 'id')::uuid)).id || added;
  end if;
  perform set_config('request.jwt.claims', caller, true);

  insert into public.document_mails (document_id, library_id, sender_name, sender_address, sent_at)
    select one, held.library_id, mail ->> 'sender_name', mail ->> 'sender_address', (mail ->> 'sent_at')::timestamptz from unnest(added) one;
  update public.received_mails r set documents = cardinality(added), document_id = added[1] where r.id = received;
  -- Notified like a finished import, however short it was, because no one watched it; files count when they are read.
  insert into private.imports as i (library_id, user_id, done, document_id, started_at)
    values (held.library_id, held.made_by, (note is not null)::integer, added[1], now() - interval '1 minute')
  on conflict (library_id, user_id) do update set
    done = i.done + excluded.done, ended_at = now(), started_at = least(i.started_at, excluded.started_at);
  return 'open';
end
$$;
grant execute on function public.add_mail to service_role;

/* Records a rejected mail and the reason. An address keeps the latest hundred. */
create function public.refuse_mail(address uuid, message text, mail jsonb, reason text) returns void
  language sql set search_path = ''
as $$
  with held as (
    -- Serializes an address's mails, so that the count is right.
    select a.* from public.mail_addresses a where a.id = address for no key update
  ), refused as (
    insert into public.received_mails (library_id, address_id, message_hash, sender_name, sender_address, subject, outcome)
      select held.library_id, held.id, message, mail ->> 'sender_name', mail ->> 'sender_address', mail ->> 'subject', reason from held
      returning address_id
  )
  delete from public.received_mails r where r.id in (
    select old.id from public.received_mails old
    where old.address_id = (select refused.address_id from refused) and old.outcome <> 'added'
    order by old.id desc offset 99)
$$;
grant execute on function public.refuse_mail to service_role;
