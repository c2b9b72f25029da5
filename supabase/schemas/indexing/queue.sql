-- The queue of documents that the function `ingest` reads in the background, in order of arrival, without any open screen.

-- A document waiting to be read or being read. If it kills three runs (out of memory or time) it fails, so that it isn't read forever.
create table private.indexing_runs (
  document_id uuid primary key references public.documents on delete cascade,
  reported_at timestamptz, -- null while it waits; a run reports at least every minute
  attempts smallint not null default 0, -- runs that died
  position bigint generated always as identity,
  priority smallint not null default 1, -- 0: a user waits for it, 1: new, 9: read again for better passages
  refetch boolean not null default false, -- fetch the link's page first
  due_at timestamptz not null default now(),
  run uuid,
  call bigint, -- the function call that reads it: see indexing_calls
  reading jsonb, -- once the whole text is read: see complete_reading
  reading_id integer,
  stored integer not null default 0 -- passages stored so far
);

create index indexing_runs_order_idx on private.indexing_runs (priority, position);
-- The few being read, out of a queue that may be long.
create index indexing_runs_run_idx on private.indexing_runs (run) where run is not null;
create index indexing_runs_reading_id_idx on private.indexing_runs (reading_id) where reading_id is not null;

-- When a run last took a document of the library (see take_document).
create table private.indexing_turns (
  library_id uuid primary key,
  turn bigint not null generated always as identity
);

-- Counts the documents being read. A run without a sign of life for a minute is dead.
create function private.runs_at_work() returns bigint
  language sql stable set search_path = ''
as $$ select count(*) from private.indexing_runs r where r.run is not null and r.reported_at > now() - interval '1 minute' $$;

/* Queues documents. A waiting one keeps or improves its place; one being read is read again if it changed (see finish_indexing). */
create function private.queue_documents(documents uuid[], priority smallint, refetch boolean) returns void
  language sql set search_path = ''
as $$
  insert into private.indexing_runs as r (document_id, priority, refetch)
    select id, queue_documents.priority, queue_documents.refetch from unnest(documents) id
  on conflict (document_id) do update set
    priority = least(r.priority, excluded.priority), refetch = r.refetch or excluded.refetch, attempts = 0, due_at = now()
$$;

/* Queues documents first; links are refetched. Returns how many the caller may edit that can be read and aren't in the trash.
   Why a definer: users can't write a document's state or the queue. */
create function public.read_again(documents uuid[]) returns integer
  language plpgsql security definer set search_path = ''
as $$
declare
  found_documents uuid[];
begin
  select array_agg(d.id) into found_documents from (
    select d.id from public.documents d
    where d.id = any (documents) and d.deleted_at is null and (d.current_version_id is not null or d.kind = 'link')
      and (d.library_id in (select private.library_ids('editor'))
        or d.collection_id in (select private.granted_collections('editor')))
    order by d.id for no key update) d;
  if found_documents is null then return 0; end if;
  update public.documents d set state = 'queued', problem = null, progress = 0
    where d.id = any (found_documents) and d.state in ('ready', 'failed');
  perform private.queue_documents(found_documents, 0::smallint, false);
  update private.indexing_runs r set refetch = true from public.documents d
    where r.document_id = d.id and d.id = any (found_documents) and d.kind = 'link' and r.run is null;
  return cardinality(found_documents);
end
$$;
grant execute on function public.read_again to authenticated;

/* Takes the next waiting document, or the given one. Within a priority, libraries take turns, oldest document first; dead runs come last.
   `call` is the call's number. No row if nothing waits or, except for a given one, too many runs are active. Three dead runs fail a
   document. Locks the document before its run, here and everywhere. */
create function public.take_document(document uuid default null, call bigint default null) returns table (
    run uuid, document_id uuid, library_id uuid, version_id uuid, kind public.document_kind, url text, title text,
    storage_path text, body text, file_name text, created_by uuid, refetch boolean, attachments_left integer, pages_read integer,
    reading jsonb
  )
  language plpgsql set search_path = ''
as $$
#variable_conflict use_column
declare
  next public.documents;
  taken private.indexing_runs;
begin
  loop
    if document is null then
      -- Serializes the count of active runs.
      perform pg_advisory_xact_lock(hashtext('carrel.take_document'));
      if private.runs_at_work() >= (select at_once from private.indexing) then return; end if;
    end if;
    select d.* into next from private.indexing_runs r join public.documents d on d.id = r.document_id
        left join private.indexing_turns t on t.library_id = d.library_id
      where (document is null or d.id = document) and d.deleted_at is null and r.due_at <= now()
        and (r.reported_at is null or r.reported_at < now() - interval '1 minute')
      order by r.priority, r.attempts > 0, t.turn nulls first, r.position limit 1 for no key update of d skip locked;
    if not found then return; end if;
    update private.indexing_runs r set
        run = gen_random_uuid(), call = take_document.call, reported_at = clock_timestamp(), attempts = r.attempts + (r.run is not null)::integer
      where r.document_id = next.id and (r.reported_at is null or r.reported_at < now() - interval '1 minute')
      returning * into taken;
    if not found then return; end if;
    insert into private.indexing_turns (library_id) values (next.library_id)
      on conflict (library_id) do update set turn = default;
    exit when taken.attempts < 3;
    perform private.end_run(next.id, private.problem('reading_broke_off'));
    if document is not null then return; end if;
  end loop;
  if next.state <> 'ready' then
    update public.documents d set state = 'extracting', problem = null where d.id = next.id and d.state <> 'extracting';
  end if;
  return query select taken.run, next.id, next.library_id, next.current_version_id, next.kind, next.url, next.title,
    v.storage_path, v.body, v.file_name, next.created_by, taken.refetch, coalesce(v.attachments_left, 0)::integer,
    (select count(*)::integer from private.read_pages p where p.document_id = next.id), taken.reading
  from (select) one left join public.versions v on v.id = next.current_version_id;
end
$$;
grant execute on function public.take_document to service_role;

/* Ends a run with a problem. A document that was read again for better passages keeps the ones it has. */
create function private.end_run(document uuid, problem jsonb) returns void
  language sql set search_path = ''
as $$
  select private.discard_stored(document);
  update public.documents d set state = 'failed', problem = end_run.problem, progress = 0 where d.id = document and d.state <> 'ready';
  delete from private.indexing_runs r where r.document_id = document;
$$;

/* Locks a run's document and renews the run. Null if the run no longer holds it: it was deleted or taken over. Its library comes first,
   because its deletion locks it before the document. */
create function private.hold_run(run uuid) returns private.indexing_runs
  language plpgsql set search_path = ''
as $$
declare
  target public.documents;
  held private.indexing_runs;
begin
  select d.* into target from private.indexing_runs r join public.documents d on d.id = r.document_id where r.run = hold_run.run;
  perform from public.libraries l where l.id = target.library_id for key share;
  perform from public.documents d where d.id = target.id for no key update;
  update private.indexing_runs r set reported_at = clock_timestamp() where r.run = hold_run.run returning * into held;
  return held;
end
$$;

/* Reports progress and renews the run. False if it no longer holds the document. */
create function public.report_indexing(run uuid, state public.indexing_state, progress integer) returns boolean
  language plpgsql set search_path = ''
as $$
declare
  held private.indexing_runs := private.hold_run(run);
begin
  update public.documents d set
    state = report_indexing.state, progress = least(greatest(report_indexing.progress, 0), 100)
  where d.id = held.document_id and d.state <> 'ready';
  return held.document_id is not null;
end
$$;
grant execute on function public.report_indexing to service_role;

/* Ends a run that couldn't read its document. Temporary problems are tried three times in all. */
create function public.fail_indexing(run uuid, version uuid, problem jsonb, may_pass boolean default false) returns void
  language plpgsql set search_path = ''
as $$
declare
  held private.indexing_runs := private.hold_run(run);
begin
  if exists (select from public.documents d where d.id = held.document_id and d.current_version_id is distinct from version) then
    perform public.release_run(run); -- the next run reads the newer version
  elsif may_pass and held.attempts < 2 then
    update private.indexing_runs r set
      run = null, reported_at = null, attempts = held.attempts + 1, due_at = now() + interval '10 seconds' * (1 + 2 * held.attempts)
    where r.document_id = held.document_id;
  else
    update public.versions v set indexer_version = i.indexer_version from private.indexing i where v.id = version;
    perform private.end_run(held.document_id, problem);
  end if;
end
$$;
grant execute on function public.fail_indexing to service_role;

/* Returns a document to its place, dropping what was read of an outdated version or page; `fetched` if the link's page has been fetched. */
create function public.release_run(run uuid, fetched boolean default false) returns void
  language plpgsql set search_path = ''
as $$
declare
  held private.indexing_runs := private.hold_run(run);
begin
  update private.indexing_runs r set run = null, reported_at = null, refetch = r.refetch and not fetched
    where r.document_id = held.document_id;
  perform public.call_indexer();
end
$$;
grant execute on function public.release_run to service_role;

-- After a library allows or forbids language models: queues documents with the other kind of vectors.
create function private.renew_vectors(library public.libraries) returns void
  language sql set search_path = ''
as $$
  insert into private.indexing_runs (document_id, priority)
    select d.id, 9 from public.documents d
    where d.library_id = library.id and d.state = 'ready' and d.deleted_at is null and exists (
      select from public.passages p, private.indexing i
      where p.document_id = d.id and p.embedding_model <> case when library.allows_models then i.model else 'lexical-384-v1' end)
    order by d.created_at
  on conflict (document_id) do nothing
$$;
