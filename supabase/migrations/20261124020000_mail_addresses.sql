-- Addresses by which mails come into a library: `<name>+<secret>@<domain>`. Whoever knows one may add documents, as far as its makers let them
create function private.new_mail_secret() returns text
  language sql volatile set search_path = ''
as $$
  -- 20 letters and digits of 5 random bits each. Lower case, because mail servers may change the case of an address.
  select string_agg(substr('abcdefghijklmnopqrstuvwxyz234567', 1 + (get_byte(random.bytes, place) & 31), 1), '' order by place)
  from (select extensions.gen_random_bytes(20) as bytes) random, generate_series(0, 19) place
$$;

/* The readable part of an address, of a library's or a collection's name. */
create function private.mail_name(title text) returns text
  language sql immutable strict set search_path = ''
as $$
  select coalesce(nullif(trim('-' from left(trim('-' from regexp_replace(
    regexp_replace(lower(normalize(title, NFKD)), '[\u0300-\u036f]', '', 'g'), '[^a-z0-9]+', '-', 'g')), 30)), ''), 'library')
$$;

create table public.mail_addresses (
  id uuid primary key default gen_random_uuid(),
  library_id uuid not null references public.libraries on delete cascade,
  -- Null: what comes lies outside of every collection, as it does when the collection is deleted.
  collection_id uuid,
  name text not null check (name ~ '^[a-z0-9]([a-z0-9-]{0,28}[a-z0-9])?$'),
  secret text not null default private.new_mail_secret() check (secret ~ '^[a-z2-7]{20}$'),
  -- Looked up in place of the secret, so that the time of a look-up reveals nothing about it.
  secret_hash text not null unique generated always as (private.hash_token(secret)) stored,
  -- A mail's sender is what it says itself: "members" keeps mistakes out, not forgers.
  senders text not null default 'members' check (senders in ('members', 'everybody')),
  enabled boolean not null default true,
  -- Whoever made the address, or replaced it last, has added what comes by it.
  made_by uuid references public.profiles on delete set null,
  made_at timestamptz not null default now(),
  unique (id, library_id),
  foreign key (collection_id, library_id) references public.collections (id, library_id) on delete set null (collection_id)
);
create index mail_addresses_library_id_idx on public.mail_addresses (library_id, made_at);
create index mail_addresses_collection_id_idx on public.mail_addresses (collection_id, library_id);
create index mail_addresses_made_by_idx on public.mail_addresses (made_by);

/* What came to an address, and what became of it. */
create table public.received_mails (
  id bigint generated always as identity primary key,
  library_id uuid not null,
  address_id uuid not null,
  message_hash text not null check (message_hash ~ '^[0-9a-f]{64}$'), -- SHA-256 of the Message-ID
  sender_name text not null default '' check (char_length(sender_name) <= 200),
  sender_address text not null default '' check (char_length(sender_address) <= 320),
  subject text not null default '' check (char_length(subject) <= 300),
  outcome text not null check (outcome in ('added', 'off', 'maker', 'sender', 'attachments')),
  documents integer not null default 0 check (documents >= 0),
  -- The note, or the file of a mail that is only a file.
  document_id uuid,
  received_at timestamptz not null default now(),
  foreign key (address_id, library_id) references public.mail_addresses (id, library_id) on delete cascade,
  foreign key (document_id, library_id) references public.documents (id, library_id) on delete set null (document_id)
);
-- A mail that was sent twice is added once.
create unique index received_mails_message_idx on public.received_mails (address_id, message_hash) where outcome = 'added';
create index received_mails_address_id_idx on public.received_mails (address_id, library_id, id desc);
-- How many have been added within the last hour.
create index received_mails_received_at_idx on public.received_mails (address_id, received_at) where outcome = 'added';
create index received_mails_library_id_idx on public.received_mails (library_id);
create index received_mails_document_id_idx on public.received_mails (document_id, library_id);

/* Of a document that came by mail: from whom, and when it was sent. */
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

alter table public.mail_addresses enable row level security;
alter table public.received_mails enable row level security;
alter table public.document_mails enable row level security;
-- The functions below write the rest: nobody chooses a secret, or who has made an address.
grant select, delete, update (collection_id, senders, enabled) on public.mail_addresses to authenticated;
grant select on public.received_mails, public.document_mails to authenticated;
grant all on public.mail_addresses, public.received_mails, public.document_mails to service_role;

create policy "editors see the library's mail addresses" on public.mail_addresses for select to authenticated
  using (library_id in (select private.library_ids('editor')));
create policy "editors change mail addresses" on public.mail_addresses for update to authenticated
  using (library_id in (select private.library_ids('editor'))) with check (library_id in (select private.library_ids('editor')));
create policy "editors end mail addresses" on public.mail_addresses for delete to authenticated
  using (library_id in (select private.library_ids('editor')));
create policy "editors see what came by mail" on public.received_mails for select to authenticated
  using (library_id in (select private.library_ids('editor')));
create policy "who sees a document sees who mailed it" on public.document_mails for select to authenticated
  using (library_id in (select private.library_ids('guest')) and exists (select from public.documents d where d.id = document_id));

/* Makes an address of a library, or of one of its collections. Runs as its owner: nobody may insert addresses directly. */
create function public.create_mail_address(library uuid, collection uuid default null, senders text default 'members')
  returns public.mail_addresses
  language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  title text;
  made public.mail_addresses;
begin
  if library not in (select private.library_ids('editor')) then
    raise exception 'Only owners and editors of the library make mail addresses.' using errcode = '42501';
  end if;
  -- The lock makes two who make an address at once wait for each other.
  select l.name into title from public.libraries l where l.id = library for no key update;
  if (select count(*) from public.mail_addresses a where a.library_id = library) >= 50 then
    raise exception 'A library has at most 50 mail addresses.' using errcode = '23514', hint = 'End one that nobody uses any more.';
  end if;
  if collection is not null then
    select c.name into title from public.collections c where c.id = collection and c.library_id = library;
    if not found then
      raise exception 'The collection is not there any more.' using errcode = '23503', hint = 'Somebody may have deleted it just now.';
    end if;
  end if;
  insert into public.mail_addresses (library_id, collection_id, name, senders, made_by)
    values (library, collection, private.mail_name(title), create_mail_address.senders, auth.uid()) returning * into made;
  return made;
end
$$;

/* Gives an address another secret: mails to the old one are refused from now on. What comes by the new one is added by the caller. */
create function public.replace_mail_address(address uuid) returns public.mail_addresses
  language plpgsql security definer set search_path = ''
as $$
declare
  replaced public.mail_addresses;
begin
  update public.mail_addresses a set secret = private.new_mail_secret(), made_by = auth.uid(), made_at = now()
    where a.id = address and a.library_id in (select private.library_ids('editor')) returning * into replaced;
  if not found then
    raise exception 'The mail address is not there, or you may not replace it.' using errcode = '42501';
  end if;
  return replaced;
end
$$;
grant execute on function public.create_mail_address, public.replace_mail_address to authenticated;
