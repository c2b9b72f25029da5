-- A history had a limit for each update and for their number, and so might hold 40 GB, which nobody could read any more: an answer
-- has a gigabyte at most. Now the updates after the state have a limit together.
alter table public.note_states add column update_bytes bigint not null default 0; -- of the updates after the state
update public.note_states s set update_bytes = coalesce(
  (select sum(octet_length(u.update)) from public.note_updates u where u.document_id = s.document_id), 0);

/* Keeps `update_bytes`. */
create function private.count_note_update() returns trigger
  language plpgsql security definer set search_path = ''
as $$
declare
  state public.note_states;
begin
  update public.note_states s set update_bytes = s.update_bytes + octet_length(new.update)
    where s.document_id = new.document_id returning * into state;
  if state.update_bytes > 33554432 then
    raise exception 'The changes of the note that are in no version have more than 32 MB.' using errcode = '54000', hint = 'Save a version.';
  end if;
  return null;
end
$$;
create trigger count_note_update after insert on public.note_updates for each row execute function private.count_note_update();

create function private.discount_note_updates() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  update public.note_states s set update_bytes = s.update_bytes - gone.bytes
  from (select o.document_id, sum(octet_length(o.update)) as bytes from old_updates o group by o.document_id) gone
  where s.document_id = gone.document_id;
  return null;
end
$$;
create trigger discount_note_updates after delete on public.note_updates
  referencing old table as old_updates for each statement execute function private.discount_note_updates();
