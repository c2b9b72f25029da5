-- Turns of libraries are numbered: two readings of a clock may be equal, and one library would come twice in a row

alter table private.indexing_turns
  drop column taken_at,
  add column turn bigint not null generated always as identity;

/* Takes the next document that waits, or the given one if it waits, and says what there is to read. Of documents of the same priority
   the oldest of each library comes in turn: that of the library whose last turn is the longest ago. No row when nothing waits, or
   when enough runs are at work (that does not hold for a given one). A document whose runs broke off three times has failed.
   The document's row is locked before that of its run, here and everywhere. */
create or replace function public.take_document(document uuid default null) returns table (
    run uuid, document_id uuid, library_id uuid, version_id uuid, kind public.document_kind, url text, title text,
    storage_path text, body text, file_name text, created_by uuid, refetch boolean, pages_read integer, reading jsonb
  )
  language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  next public.documents;
  taken private.ingestion_runs;
begin
  loop
    if document is null then
      -- One at a time: two that count at once would both find room.
      perform pg_advisory_xact_lock(hashtext('carrel.take_document'));
      if (select count(*) from private.ingestion_runs r where r.reported_at > now() - interval '1 minute')
        >= (select at_once from private.indexing) then return; end if;
    end if;
    select d.* into next from private.ingestion_runs r join public.documents d on d.id = r.document_id
        left join private.indexing_turns t on t.library_id = d.library_id
      where (document is null or d.id = document) and d.deleted_at is null and r.due_at <= now()
        and (r.reported_at is null or r.reported_at < now() - interval '1 minute')
      order by r.priority, t.turn nulls first, r.position limit 1 for no key update of d skip locked;
    if not found then return; end if;
    update private.ingestion_runs r set
        run = gen_random_uuid(), reported_at = clock_timestamp(), attempts = r.attempts + (r.run is not null)::integer
      where r.document_id = next.id and (r.reported_at is null or r.reported_at < now() - interval '1 minute')
      returning * into taken;
    if not found then return; end if;
    insert into private.indexing_turns (library_id) values (next.library_id)
      on conflict (library_id) do update set turn = default;
    -- What a run keeps is not written ahead: after a crash of the database it is gone.
    if (taken.reading ->> 'count')::integer <> (select count(*) from private.read_passages p where p.document_id = next.id) then
      perform private.discard_stored(next.id);
      update private.ingestion_runs r set reading = null where r.document_id = next.id;
      taken.reading := null;
    end if;
    exit when taken.attempts < 3;
    perform private.end_run(next.id,
      'Reading this document broke off three times. Make it smaller or split it, then upload the parts.');
    if document is not null then return; end if;
  end loop;
  if next.state <> 'ready' then
    update public.documents d set state = 'extracting', state_message = null where d.id = next.id and d.state <> 'extracting';
  end if;
  return query select taken.run, next.id, next.library_id, next.current_version_id, next.kind, next.url, next.title,
    v.storage_path, v.body, v.file_name, next.created_by, taken.refetch,
    (select count(*)::integer from private.read_pages p where p.document_id = next.id), taken.reading
  from (select) one left join public.versions v on v.id = next.current_version_id;
end
$$;
