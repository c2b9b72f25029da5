-- What the function `receive-mail` asks and writes. Only the project itself may

/* What is to become of a mail: "open", or why it is not taken.
   off     the address is turned off
   maker   who made the address may not add documents any more
   sender  only members may send, and the sender is none
   known   it has been added already
   busy    200 mails have come within an hour: the rest has to wait */
create function private.mail_verdict(address public.mail_addresses, sender text, message text) returns text
  language sql stable set search_path = ''
as $$
  select case
    when not address.enabled then 'off'
    when not exists (
      select from public.members m
      where m.library_id = address.library_id and m.user_id = address.made_by and m.role >= 'editor') then 'maker'
    when address.senders = 'members' and not exists (
      select from public.members m
      where m.library_id = address.library_id and m.user_id = (private.account_of(lower(sender))).id) then 'sender'
    when exists (
      select from public.received_mails r
      where r.address_id = address.id and r.message_hash = message and r.outcome = 'added') then 'known'
    when (
      select count(*) from public.received_mails r
      where r.address_id = address.id and r.outcome = 'added' and r.received_at > now() - interval '1 hour') >= 200 then 'busy'
    else 'open' end
$$;

/* The address with a secret, and what is to become of a mail to it: { id, library, verdict }. Null when there is none.
   message  the SHA-256 of the Message-ID, in hexadecimal digits */
create function public.find_mail_address(secret text, sender text, message text) returns jsonb
  language sql stable security definer set search_path = ''
as $$
  select jsonb_build_object('id', a.id, 'library', a.library_id,
    'verdict', private.mail_verdict(a, find_mail_address.sender, find_mail_address.message))
  from public.mail_addresses a where a.secret_hash = private.hash_token(find_mail_address.secret)
$$;

/* Adds the documents of a mail, all or none of them, as the maker of the address.

   mail  { sender_name, sender_address, sent_at, subject,
           note: { id, title, body } or null,
           files: [{ id, path, file_name, title, content_hash }] }, whose files and pictures have been uploaded already

   Returns the verdict: "open" when they have been added. */
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
  -- The same mail may come twice at once: the second waits here for the first.
  insert into public.received_mails (library_id, address_id, message_hash, sender_name, sender_address, subject, outcome)
    values (held.library_id, held.id, message, mail ->> 'sender_name', mail ->> 'sender_address', mail ->> 'subject', 'added')
  on conflict do nothing returning id into received;
  if received is null then return 'known'; end if;

  -- Authors, activity and notifications are those of what the maker adds themselves.
  perform set_config('request.jwt.claims', jsonb_build_object('sub', held.made_by, 'role', 'authenticated')::text, true);
  for file in select * from jsonb_array_elements(mail -> 'files') loop
    added := added || (public.add_file(held.library_id, (file ->> 'id')::uuid, file ->> 'path', file ->> 'file_name', file ->> 'title',
      held.collection_id, file ->> 'content_hash')).id;
  end loop;
  -- After the files: its links are kept when they lead to what is there.
  if note is not null then
    added := (public.add_note(held.library_id, note ->> 'title', note ->> 'body', held.collection_id, (note ->> 'id')::uuid)).id || added;
  end if;
  perform set_config('request.jwt.claims', caller, true);

  insert into public.document_mails (document_id, library_id, sender_name, sender_address, sent_at)
    select one, held.library_id, mail ->> 'sender_name', mail ->> 'sender_address', (mail ->> 'sent_at')::timestamptz from unnest(added) one;
  update public.received_mails r set documents = cardinality(added), document_id = added[1] where r.id = received;
  -- Told as an import that has ended. Nobody sat before it, so it is told however quick it was; the files count when they are read.
  insert into private.imports as i (library_id, user_id, done, document_id, started_at)
    values (held.library_id, held.made_by, (note is not null)::integer, added[1], now() - interval '1 minute')
  on conflict (library_id, user_id) do update set
    done = i.done + excluded.done, ended_at = now(), started_at = least(i.started_at, excluded.started_at);
  return 'open';
end
$$;

/* Keeps that a mail was not taken, and why. Of those, an address keeps its latest hundred. */
create function public.refuse_mail(address uuid, message text, mail jsonb, reason text) returns void
  language sql security definer set search_path = ''
as $$
  with held as (
    -- One at a time for an address, so that no two count the same rows.
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
grant execute on function public.find_mail_address, public.add_mail, public.refuse_mail to service_role;

/* As before, but nothing is told of an import of which nothing is left: its only file was taken away before it was read. */
create or replace function private.notify_of_imports(quiet interval default '20 seconds') returns void
  language plpgsql security definer set search_path = ''
as $$
declare
  ended private.imports;
  earlier record;
begin
  for ended in
    delete from private.imports i
    where i.ended_at <= now() - quiet and not exists (
      select from private.ingestion_runs r join public.documents d on d.id = r.document_id
      where r.priority = 1 and d.library_id = i.library_id and d.deleted_at is null and private.uploader(d) = i.user_id)
    returning i.*
  loop
    continue when ended.done + ended.failed = 0;
    continue when ended.failed = 0 and ended.ended_at - ended.started_at < interval '1 minute';
    with replaced as (
      delete from public.notifications n
      where n.user_id = ended.user_id and n.library_id = ended.library_id and n.kind = 'import' and n.read_at is null
      returning n.amount, n.failed
    )
    select coalesce(sum(r.amount), 0)::integer as done, coalesce(sum(r.failed), 0)::integer as failed into earlier from replaced r;
    insert into public.notifications (user_id, kind, library_id, document_id, amount, failed)
      select ended.user_id, 'import', ended.library_id,
        -- One document can be opened: the only one, or the only one that failed.
        case when counts.failed = 1 or counts.done + counts.failed = 1 then d.id end, counts.done, counts.failed
      from (select ended.done + earlier.done as done, ended.failed + earlier.failed as failed) counts
      left join public.documents d on d.id = ended.document_id and d.library_id = ended.library_id;
  end loop;
end
$$;
