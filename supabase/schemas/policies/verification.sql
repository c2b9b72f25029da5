-- Verification: until when a document is vouched for (`documents.verified_until`), and who is asked to review it.

/* Keeps the columns consistent: no date, no verifier; a new date clears the reminder. No past dates, give or take a time zone's day. */
create function private.prepared_verification(old public.documents, new public.documents) returns public.documents
  language plpgsql set search_path = ''
as $$
begin
  if (new.verified_until, new.verifier_id) is not distinct from (old.verified_until, old.verifier_id) then return new; end if;
  new.verification_reminders := 0;
  if new.verified_until is null then
    new.verifier_id := null;
    new.verified_at := null;
    return new;
  end if;
  if new.verified_until is distinct from old.verified_until then
    if (select auth.uid()) is not null and new.verified_until < current_date - 1 then
      perform private.refuse('verified_until_past');
    end if;
    new.verified_at := now();
    new.verifier_id := coalesce(new.verifier_id, (select auth.uid()));
  end if;
  if new.verifier_id is distinct from old.verifier_id and new.verifier_id is not null
    and not exists (select from public.document_audience(new.id) a where a.user_id = new.verifier_id)
  then
    perform private.refuse('verifier_denied');
  end if;
  return new;
end
$$;

-- Clears reminders and logs who vouches for the document.
create function private.follow_verification(old public.documents, new public.documents) returns void
  language plpgsql set search_path = ''
as $$
begin
  update public.notifications n set read_at = now()
    where n.document_id = new.id and n.kind = 'verification' and n.read_at is null;
  if new.verified_until is distinct from old.verified_until then
    perform private.record(new.library_id, case when new.verified_until is null then 'document.unverified' else 'document.verified' end,
      new.id, jsonb_strip_nulls(jsonb_build_object('title', new.title, 'kind', new.kind, 'until', new.verified_until)));
  end if;
end
$$;

-- Days before the date from which a document is due; the same as in src/domain/validity.ts.
create function private.verification_due_days() returns integer
  language sql immutable set search_path = ''
  return 14;

/* Every night: reminds two weeks before the date and after it, the verifier or, if they can't see the document, owners. Returns their
   number. */
create function public.remind_of_verifications() returns integer
  language sql set search_path = ''
as $$
  with due as (
    select d.id, case when d.verified_until < current_date then 2 else 1 end as reminders
    from public.documents d where d.deleted_at is null and d.verified_until <= current_date + private.verification_due_days()
  ), reminded as (
    update public.documents d set verification_reminders = due.reminders from due
    where d.id = due.id and d.verification_reminders < due.reminders returning d.id, d.library_id, d.verifier_id
  ), told as (
    insert into public.notifications (user_id, kind, library_id, document_id)
      select person.id, 'verification', r.library_id, r.id from reminded r
      cross join lateral (
        select case when exists (select from public.document_audience(r.id) a where a.user_id = r.verifier_id) then r.verifier_id end as id
      ) verifier
      cross join lateral (
        select verifier.id where verifier.id is not null
        union all
        select m.user_id from public.members m where verifier.id is null and m.library_id = r.library_id and m.role = 'owner'
      ) person
  )
  select count(*)::integer from reminded
$$;
grant execute on function public.remind_of_verifications to service_role;
