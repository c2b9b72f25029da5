-- The queue of documents that the function `ingest` reads in the background, in order of arrival, without any open screen.

-- A document waiting to be read or being read. If it kills three runs (out of memory or time) it fails, so that it isn't read forever.
create table private.ingestion_runs (
  document_id uuid primary key references public.documents on delete cascade,
  reported_at timestamptz, -- null while it waits; a run reports at least every minute
  attempts smallint not null default 0, -- runs that died
  position bigint generated always as identity,
  priority smallint not null default 1, -- 0: a user waits for it, 1: new, 9: read again for better passages
  refetch boolean not null default false, -- fetch the link's page first
  due_at timestamptz not null default now(),
  run uuid,
  call bigint, -- the function call that reads it: see indexing_calls
  reading jsonb, -- once the whole text is read: see keep_reading
  reading_id integer,
  stored integer not null default 0 -- passages stored so far
);

create index ingestion_runs_order_idx on private.ingestion_runs (priority, position);
-- The few being read, out of a queue that may be long.
create index ingestion_runs_run_idx on private.ingestion_runs (run) where run is not null;
create index ingestion_runs_reading_id_idx on private.ingestion_runs (reading_id) where reading_id is not null;

alter table private.ingestion_runs enable row level security;

/* Replaces a document's passages: [{ page, heading, start, end, content, embedding }] in reading order, lexical embeddings by default.
   `mime` is the detected type, `rendition` the readable copy's path, width and height an image's in pixels. Returns their number; null if
   the document is in the trash or has a newer version, which has its own run. */
create function public.store_passages(
  version uuid, passages jsonb, model text default null, pages integer default null, mime text default null,
  rendition text default null, width integer default null, height integer default null, language text default null
) returns integer
  language plpgsql set search_path = ''
as $$
declare
  target public.documents;
  held private.ingestion_runs;
begin
  select d.* into target from public.documents d join public.versions v on v.document_id = d.id
    where v.id = version and d.current_version_id = v.id and d.deleted_at is null for no key update of d;
  if not found then return null; end if;
  perform private.discard_stored(target.id);
  delete from private.ingestion_runs r where r.document_id = target.id;
  insert into private.ingestion_runs (document_id, reading_id, reading) values (target.id, nextval('private.reading_ids'),
    jsonb_strip_nulls(jsonb_build_object('count', jsonb_array_length(passages), 'pages', pages, 'mime', mime, 'rendition', rendition,
      'width', width, 'height', height, 'language', language)))
    returning * into held;
  perform private.keep_read_passages(target.id, 0, passages);
  perform private.store_some(target, held, model, 0, jsonb_array_length(passages));
  perform private.finish_storing(target, held);
  return jsonb_array_length(passages);
end
$$;
grant execute on function public.store_passages to service_role;

-- What a run has read so far, for the next one to continue: pages of a PDF, then passages with or without vectors.
create unlogged table private.read_pages (
  document_id uuid not null references private.ingestion_runs on delete cascade,
  page integer not null,
  lines jsonb not null,
  primary key (document_id, page)
);
alter table private.read_pages enable row level security;

create unlogged table private.read_passages (
  document_id uuid not null references private.ingestion_runs on delete cascade,
  ordinal integer not null,
  passage jsonb not null,
  embedding extensions.vector,
  hash text, -- SHA-256 of the content
  occurrence integer, -- of this content in the document, starting at 1
  primary key (document_id, ordinal)
);

create index read_passages_hash_idx on private.read_passages (document_id, hash);

alter table private.read_passages enable row level security;

/* One row. `key` authenticates calls to `ingest`; `indexer_version` and `model` are the newest announced. `unrelated`: the model's cosine
   of unrelated texts. `is_behind`: passages were stored without its vectors since, because it didn't respond. */
create table private.indexing (
  id boolean primary key default true check (id),
  key text not null default encode(extensions.gen_random_bytes(32), 'hex'),
  at_once smallint not null default 2, -- runs
  indexer_version integer not null default 0,
  model text,
  unrelated real check (unrelated < 1),
  is_behind boolean not null default false
);
alter table private.indexing enable row level security;

insert into private.indexing default values;

-- Calls of the function in the last hour. Their responses say why one hasn't arrived (indexing_problem).
create table private.indexing_calls (
  id bigint generated always as identity primary key,
  request bigint not null, -- of pg_net
  called_at timestamptz not null default now(),
  has_arrived boolean not null default false
);
alter table private.indexing_calls enable row level security;

/* Returns the base URL of the functions: `project_url` in the vault (docs/hosted.md), or else the API's host name in local development. */
create function private.functions_url() returns text
  language plpgsql stable set search_path = ''
as $$
declare
  url text;
begin
  if to_regclass('vault.decrypted_secrets') is not null then
    execute 'select decrypted_secret from vault.decrypted_secrets where name = $1' into url using 'project_url';
  end if;
  return rtrim(coalesce(url, 'http://kong:8000'), '/') || '/functions/v1/';
end
$$;

-- Counts the documents being read. A run without a sign of life for a minute is dead.
create function private.runs_at_work() returns bigint
  language sql stable set search_path = ''
as $$ select count(*) from private.ingestion_runs r where r.run is not null and r.reported_at > now() - interval '1 minute' $$;

/* Calls the function `ingest` on commit if something waits and too few runs are active. Checks once per transaction. */
create function private.call_indexer() returns void
  language plpgsql set search_path = ''
as $$
declare
  settings private.indexing;
  request bigint;
  call bigint;
begin
  if to_regnamespace('net') is null or current_setting('carrel.indexer_called', true) = pg_current_xact_id()::text then return; end if;
  perform set_config('carrel.indexer_called', pg_current_xact_id()::text, true);
  select * into settings from private.indexing;
  -- A call that ends normally leaves no run behind, so a run whose call has been answered is dead.
  execute $query$
    update private.ingestion_runs r set reported_at = '-infinity' where r.document_id in (
      select b.document_id from private.ingestion_runs b join private.indexing_calls c on c.id = b.call
      join net._http_response a on a.id = c.request and a.status_code is not null and a.created > now() - interval '5 minutes'
      where b.run is not null and b.reported_at > '-infinity' for no key update of b skip locked)
  $query$;
  if not exists (select from private.outdated_words) and not exists (
      select from private.ingestion_runs r join public.documents d on d.id = r.document_id
      where r.due_at <= now() and (r.reported_at is null or r.reported_at < now() - interval '1 minute') and d.deleted_at is null)
    or private.runs_at_work() + (select count(*) from private.indexing_calls c where not c.has_arrived and c.called_at > now() - interval '5 seconds')
      >= settings.at_once
  then return; end if;
  call := nextval('private.indexing_calls_id_seq');
  execute 'select net.http_post(url => $1, body => $2, headers => $3, timeout_milliseconds => 60000)' into request
    using private.functions_url() || 'ingest', jsonb_build_object('call', call),
      jsonb_build_object('content-type', 'application/json', 'x-indexing-key', settings.key);
  insert into private.indexing_calls (id, request) overriding system value values (call, request);
end
$$;

/* Calls the edge function tg_argv[0] if it has work.
   Why a definer: it runs at the commit of a user, who can't read the queues or send requests. */
create function private.call_at_commit() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  case tg_argv[0]
    when 'ingest' then perform private.call_indexer();
    when 'deliver-webhooks' then perform private.call_webhooks();
    when 'notify' then perform private.call_mailer();
  end case;
  return null;
end
$$;

-- Deferred, so that documents stored with their passages (a seed) no longer wait by then.
create constraint trigger call_indexer after insert or update of priority on private.ingestion_runs
  deferrable initially deferred for each row execute function private.call_at_commit('ingest');

/* Queues documents. A waiting one keeps or improves its place; one being read is read again if it changed (see finish_indexing). */
create function private.queue_documents(documents uuid[], priority smallint, refetch boolean) returns void
  language sql set search_path = ''
as $$
  insert into private.ingestion_runs as r (document_id, priority, refetch)
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
  update private.ingestion_runs r set refetch = true from public.documents d
    where r.document_id = d.id and d.id = any (found_documents) and d.kind = 'link' and r.run is null;
  return cardinality(found_documents);
end
$$;
grant execute on function public.read_again to authenticated;

/* Whether the caller is the database, by the key it sends with each call. */
create function public.is_indexing_call(key text) returns boolean
  language sql stable set search_path = ''
as $$ select sha256(convert_to(i.key, 'UTF8')) = sha256(convert_to(is_indexing_call.key, 'UTF8')) from private.indexing i $$;
grant execute on function public.is_indexing_call to service_role;

/* Called by the function with its version and model. Documents read by an older version or with other vectors are queued last, and pending
   vectors of another model dropped. `call` is the call's number. */
create function public.announce_indexer(
  indexer_version integer, model text default null, call bigint default null, unrelated real default null
) returns void
  language plpgsql set search_path = ''
as $$
begin
  -- The function has responded, so earlier failed calls are no longer a problem.
  update private.indexing_calls c set has_arrived = true
    where not c.has_arrived and (announce_indexer.call is null or c.id <= announce_indexer.call);
  update private.read_passages p set embedding = null from private.indexing i
    where p.embedding is not null and announce_indexer.model is not null and i.model <> announce_indexer.model;
  update private.indexing i set
      indexer_version = greatest(announce_indexer.indexer_version, i.indexer_version), model = coalesce(announce_indexer.model, i.model),
      unrelated = case when announce_indexer.model is null then i.unrelated else announce_indexer.unrelated end,
      is_behind = i.is_behind and announce_indexer.model is null
    where i.indexer_version < announce_indexer.indexer_version or announce_indexer.model is not null
      and (i.is_behind or i.model is distinct from announce_indexer.model);
  if not found then return; end if;
  insert into private.ingestion_runs (document_id, priority)
    select d.id, 9 from public.documents d join public.versions v on v.id = d.current_version_id
    where d.state = 'ready' and d.deleted_at is null and (
      v.indexer_version < announce_indexer.indexer_version
      or exists (select from public.libraries l where l.id = d.library_id and l.allows_models)
        and exists (select from public.passages p where p.document_id = d.id and p.embedding_model <> announce_indexer.model))
    order by d.created_at
  on conflict (document_id) do nothing;
end
$$;
grant execute on function public.announce_indexer to service_role;

-- After a library allows or forbids language models: queues documents with the other kind of vectors.
create function private.renew_vectors(library public.libraries) returns void
  language sql set search_path = ''
as $$
  insert into private.ingestion_runs (document_id, priority)
    select d.id, 9 from public.documents d
    where d.library_id = library.id and d.state = 'ready' and d.deleted_at is null and exists (
      select from public.passages p, private.indexing i
      where p.document_id = d.id and p.embedding_model <> case when library.allows_models then i.model else 'lexical-384-v1' end)
    order by d.created_at
  on conflict (document_id) do nothing
$$;

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
  taken private.ingestion_runs;
begin
  loop
    if document is null then
      -- Serializes the count of active runs.
      perform pg_advisory_xact_lock(hashtext('carrel.take_document'));
      if private.runs_at_work() >= (select at_once from private.indexing) then return; end if;
    end if;
    select d.* into next from private.ingestion_runs r join public.documents d on d.id = r.document_id
        left join private.indexing_turns t on t.library_id = d.library_id
      where (document is null or d.id = document) and d.deleted_at is null and r.due_at <= now()
        and (r.reported_at is null or r.reported_at < now() - interval '1 minute')
      order by r.priority, r.attempts > 0, t.turn nulls first, r.position limit 1 for no key update of d skip locked;
    if not found then return; end if;
    update private.ingestion_runs r set
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
  delete from private.ingestion_runs r where r.document_id = document;
$$;

/* Locks a run's document and renews the run. Null if the run no longer holds it: it was deleted or taken over. */
create function private.hold_run(run uuid) returns private.ingestion_runs
  language plpgsql set search_path = ''
as $$
declare
  held private.ingestion_runs;
begin
  perform from public.documents d
    where d.id = (select r.document_id from private.ingestion_runs r where r.run = hold_run.run) for no key update;
  update private.ingestion_runs r set reported_at = clock_timestamp() where r.run = hold_run.run returning * into held;
  return held;
end
$$;

/* Reports progress and renews the run. False if it no longer holds the document. */
create function public.report_indexing(run uuid, state public.ingestion_state, progress integer) returns boolean
  language plpgsql set search_path = ''
as $$
declare
  held private.ingestion_runs := private.hold_run(run);
begin
  update public.documents d set
    state = report_indexing.state, progress = least(greatest(report_indexing.progress, 0), 100)
  where d.id = held.document_id and d.state <> 'ready';
  return held.document_id is not null;
end
$$;
grant execute on function public.report_indexing to service_role;

/* Stores a PDF's pages, [[line, …], …], from `first` (from 1), which resets the count of dead runs. False if the run lost the document. */
create function public.keep_pages(run uuid, first integer, pages jsonb) returns boolean
  language plpgsql set search_path = ''
as $$
declare
  held private.ingestion_runs := private.hold_run(run);
begin
  insert into private.read_pages (document_id, page, lines)
    select held.document_id, first + p.ordinality - 1, p.value from jsonb_array_elements(pages) with ordinality p
    where held.document_id is not null
  on conflict (document_id, page) do nothing;
  update private.ingestion_runs r set attempts = 0 where r.document_id = held.document_id;
  return held.document_id is not null;
end
$$;
grant execute on function public.keep_pages to service_role;

-- Returns all stored pages of the run's document, in order.
create function public.kept_pages(run uuid) returns jsonb
  language sql stable set search_path = ''
as $$
  select coalesce(jsonb_agg(p.lines order by p.page), '[]')
  from private.read_pages p join private.ingestion_runs r using (document_id) where r.run = kept_pages.run
$$;
grant execute on function public.kept_pages to service_role;

/* Creates documents from a mail's attachments for the person who added it, if they may still add some. Happens once per version, so deleted
   ones stay deleted; files already in the collection are skipped. Nested mails share half of the remaining quota.
   files: [{ id, path, file_name, title, content_hash }]. Returns each file's document, or null; null for all if the run lost the mail. */
create function public.keep_attachments(run uuid, version uuid, files jsonb) returns uuid[]
  language plpgsql set search_path = ''
as $$
declare
  held constant private.ingestion_runs := private.hold_run(run);
  caller constant text := coalesce(current_setting('request.jwt.claims', true), '');
  mail public.documents;
  room integer;
  file jsonb;
  attached uuid;
  kept uuid[] := '{}';
  added uuid[] := '{}';
begin
  select * into mail from public.documents d where d.id = held.document_id and d.current_version_id = version and d.deleted_at is null;
  if not found then return null; end if;
  select v.attachments_left into room from public.versions v where v.id = version;
  if not exists (select from public.members m
      where m.library_id = mail.library_id and m.user_id = mail.created_by and m.role >= 'editor')
    and mail.created_by not in (select private.editors_of_collection(mail.collection_id, array[mail.created_by]))
  then
    room := 0;
  end if;
  -- Authors, rules, activity and notifications work as if that person added them.
  perform set_config('request.jwt.claims', jsonb_build_object('sub', mail.created_by, 'role', 'authenticated')::text, true);
  for file in select * from jsonb_array_elements(files) loop
    select d.id into attached from public.documents d
      where d.library_id = mail.library_id and d.deleted_at is null and (d.id = (file ->> 'id')::uuid
        or d.content_hash = file ->> 'content_hash' and d.collection_id is not distinct from mail.collection_id)
      order by d.id = (file ->> 'id')::uuid desc limit 1;
    if attached is null and cardinality(added) < room and file ->> 'path' is not null
      and not exists (select from public.documents d where d.id = (file ->> 'id')::uuid)
    then
      attached := (public.add_file(mail.library_id, (file ->> 'id')::uuid, file ->> 'path', file ->> 'file_name', file ->> 'title',
        mail.collection_id, file ->> 'content_hash')).id;
      added := added || attached;
    end if;
    kept := kept || attached;
  end loop;
  perform set_config('request.jwt.claims', caller, true);
  update public.versions v set attachments_left = (room - cardinality(added)) / greatest(2 * cardinality(added), 1)
    where v.document_id = any (added);
  update public.versions v set attachments_left = 0 where v.id = version;
  return kept;
end
$$;
grant execute on function public.keep_attachments to service_role;

/* Stores passages, [{ page, heading, start, end, content }, …], in reading order from ordinal `first`. */
create function public.keep_passages(run uuid, first integer, passages jsonb) returns boolean
  language plpgsql set search_path = ''
as $$
declare
  held private.ingestion_runs := private.hold_run(run);
begin
  if held.document_id is null then return false; end if;
  perform private.keep_read_passages(held.document_id, first, passages);
  return true;
end
$$;
grant execute on function public.keep_passages to service_role;

/* Completes the reading: { indexer_version, count, pages, mime, rendition, width, height, language, title, author, dated, reference,
   outline }. */
create function public.keep_reading(run uuid, reading jsonb) returns boolean
  language plpgsql set search_path = ''
as $$
declare
  held private.ingestion_runs := private.hold_run(run);
begin
  update private.ingestion_runs r set reading = keep_reading.reading, attempts = 0 where r.document_id = held.document_id;
  delete from private.read_pages p where p.document_id = held.document_id;
  delete from private.read_passages p where p.document_id = held.document_id and p.ordinal >= (keep_reading.reading ->> 'count')::integer;
  return held.document_id is not null;
end
$$;
grant execute on function public.keep_reading to service_role;

-- Returns passages without a vector, for keep_embeddings. None if the library forbids models: the database computes lexical vectors.
create function public.passages_to_embed(run uuid, most integer) returns table (ordinal integer, heading text, content text)
  language sql stable set search_path = ''
as $$
  select p.ordinal, p.passage ->> 'heading', p.passage ->> 'content'
  from private.read_passages p join private.ingestion_runs r using (document_id) join public.documents d on d.id = document_id
  join public.libraries l on l.id = d.library_id and l.allows_models
  where r.run = passages_to_embed.run and p.embedding is null order by p.ordinal limit most
$$;
grant execute on function public.passages_to_embed to service_role;

-- Rejects vectors of a model that has been replaced in the meantime; the run then loses the document.
create function public.keep_embeddings(run uuid, embeddings jsonb, model text default null) returns boolean
  language plpgsql set search_path = ''
as $$
declare
  held private.ingestion_runs := private.hold_run(run);
begin
  if exists (select from private.indexing i where i.model <> keep_embeddings.model) then return false; end if;
  update private.read_passages p set embedding = (e.value ->> 'embedding')::extensions.vector
    from jsonb_array_elements(embeddings) e
    where p.document_id = held.document_id and p.ordinal = (e.value ->> 'ordinal')::integer;
  update private.ingestion_runs r set attempts = 0 where r.document_id = held.document_id;
  return held.document_id is not null;
end
$$;
grant execute on function public.keep_embeddings to service_role;

/* Ends a run that couldn't read its document. Temporary problems are tried three times in all. */
create function public.fail_indexing(run uuid, version uuid, problem jsonb, may_pass boolean default false) returns void
  language plpgsql set search_path = ''
as $$
declare
  held private.ingestion_runs := private.hold_run(run);
begin
  if exists (select from public.documents d where d.id = held.document_id and d.current_version_id is distinct from version) then
    perform public.release_run(run); -- the next run reads the newer version
  elsif may_pass and held.attempts < 2 then
    update private.ingestion_runs r set
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
  held private.ingestion_runs := private.hold_run(run);
begin
  update private.ingestion_runs r set run = null, reported_at = null, refetch = r.refetch and not fetched
    where r.document_id = held.document_id;
  perform public.call_indexer();
end
$$;
grant execute on function public.release_run to service_role;

/* Drops what was read of the previous version. A run that still reads it loses the document, except the run that fetched the page. */
create function private.forget_reading(document uuid) returns void
  language sql set search_path = ''
as $$
  select private.discard_stored(document);
  update private.ingestion_runs r set reading = null, run = case when r.refetch then r.run end,
      reported_at = case when r.refetch then r.reported_at end
    where r.document_id = document;
  delete from private.read_pages p where p.document_id = document;
  delete from private.read_passages p where p.document_id = document;
$$;

/* Starts the next call when one ends. Why a definer: the service role can't read the vault or send requests by pg_net. */
create function public.call_indexer() returns void
  language sql security definer set search_path = ''
as $$ select private.call_indexer() $$;
grant execute on function public.call_indexer to service_role;

/* Catches up on lost calls, killed runs, restored documents and due retries. */
create function private.maintain_indexing() returns void
  language sql set search_path = ''
as $$
  delete from private.indexing_calls c where c.called_at < now() - interval '1 hour';
  select private.call_indexer();
$$;

/* Returns why the function can't be called, from the latest response to a failed call; null if it can.
   Why a definer: users can't read requests and responses. */
create function private.indexing_problem() returns jsonb
  language plpgsql stable security definer set search_path = ''
as $$
declare
  answered boolean;
  status integer;
begin
  if to_regclass('net._http_response') is null then return null; end if;
  execute 'select true, r.status_code from private.indexing_calls c join net._http_response r on r.id = c.request
    where not c.has_arrived order by c.id desc limit 1' into answered, status;
  return case
    when answered is null then null
    when status = 404 then private.problem('ingest_not_deployed')
    when status = 503 then private.problem('ingest_cannot_start')
    when status is not null then private.problem('ingest_failed', jsonb_build_object('status', status))
    else private.problem('ingest_unreachable')
  end;
end
$$;
grant execute on function private.indexing_problem to authenticated;

/* Returns a library's reading progress as the caller sees it: document counts, and any problem that keeps documents waiting. */
create function public.indexing_progress(library uuid)
  returns table (total bigint, done bigint, waiting bigint, running bigint, failed bigint, problem jsonb)
  language sql stable set search_path = ''
as $$
  select count(*), count(*) filter (where d.state = 'ready'), count(*) filter (where d.state = 'queued'),
    count(*) filter (where d.state in ('extracting', 'embedding')), count(*) filter (where d.state = 'failed'),
    case when count(*) filter (where d.state not in ('ready', 'failed')) > 0 then private.indexing_problem() end
  from public.documents d where d.library_id = library and d.deleted_at is null
$$;
grant execute on function public.indexing_progress to authenticated;

/* The storing that made a passage, 0 for a single transaction. Passages of an unfinished one are hidden until its run's row is deleted. */
create sequence private.reading_ids as integer;

/* The words of passages being stored, from an ordinal on; not yet part of the library's words. */
create unlogged table private.read_words (
  document_id uuid not null references private.ingestion_runs on delete cascade,
  first integer not null,
  words text[] not null,
  passages integer[] not null,
  occurrences bigint[] not null,
  primary key (document_id, first)
);
alter table private.read_words enable row level security;

-- When a run last took a document of the library (see take_document).
create table private.indexing_turns (
  library_id uuid primary key,
  turn bigint not null generated always as identity
);
alter table private.indexing_turns enable row level security;

/* Deletes a run's hidden passages, so that storing starts over from what was read. */
create function private.discard_stored(document uuid) returns void
  language sql set search_path = ''
as $$
  delete from public.passages p using private.ingestion_runs r
    where r.document_id = document and p.document_id = document and p.reading_id = r.reading_id;
  delete from private.read_words w where w.document_id = document;
  update private.ingestion_runs r set reading_id = null, stored = 0 where r.document_id = document and r.reading_id is not null;
$$;

/* Stores passages; see public.keep_passages. Those before `first` are already stored. */
create function private.keep_read_passages(document uuid, first integer, passages jsonb) returns void
  language sql set search_path = ''
as $$
  with incoming as (
    select first + e.ordinality - 1 as ordinal, e.value - 'embedding' as passage, (e.value ->> 'embedding')::extensions.vector as embedding,
      encode(sha256(convert_to(e.value ->> 'content', 'UTF8')), 'hex') as hash
    from jsonb_array_elements(passages) with ordinality e
  )
  insert into private.read_passages (document_id, ordinal, passage, embedding, hash, occurrence)
    select document, i.ordinal, i.passage, i.embedding, i.hash, row_number() over (partition by i.hash order by i.ordinal) + (
      select count(*) from private.read_passages r where r.document_id = document and r.hash = i.hash and r.ordinal < first)
    from incoming i
  on conflict (document_id, ordinal) do update set
    passage = excluded.passage, embedding = excluded.embedding, hash = excluded.hash, occurrence = excluded.occurrence
$$;

/* Returns read passages as rows of public.passages, from one ordinal to before another. Ids stay when a document is read again. */
create function private.passages_read(document uuid, version uuid, first integer, behind integer)
  returns table (id uuid, ordinal integer, page integer, heading text, start_offset integer, end_offset integer, content text, hash text,
    embedding extensions.vector)
  language sql stable set search_path = ''
as $$
  select md5(version || r.hash || r.occurrence)::uuid, r.ordinal, p.page, left(p.heading, 500), p."start", p."end", p.content, r.hash,
    r.embedding
  from private.read_passages r,
    jsonb_to_record(r.passage) as p (page integer, heading text, "start" integer, "end" integer, content text)
  where r.document_id = document and r.ordinal >= first and r.ordinal < behind
$$;

/* Stores some of a run's passages, hidden. One that an earlier reading made stays until the end; its new vector fits both readings. */
create function private.store_some(target public.documents, held private.ingestion_runs, model text, first integer, behind integer)
  returns void
  language plpgsql set search_path = ''
as $$
declare
  spoken constant text := held.reading ->> 'language';
  fields constant text := (select t.words from private.field_texts t where t.document_id = target.id);
begin
  if model is null then
    update private.indexing i set is_behind = true where i.model is not null and not i.is_behind
      and exists (select from public.libraries l where l.id = target.library_id and l.allows_models);
  end if;
  insert into public.passages (
    id, library_id, document_id, version_id, reading_id, ordinal, page, heading, start_offset, end_offset, content, content_hash,
    embedding, embedding_model, language)
  select r.id, target.library_id, target.id, target.current_version_id, held.reading_id, r.ordinal, r.page, r.heading, r.start_offset,
    r.end_offset, r.content, r.hash,
    coalesce(m.embedding, private.lexical_embedding(coalesce(r.heading || E'\n', '') || r.content)), m.model, spoken
  from private.passages_read(target.id, target.current_version_id, first, behind) r,
    lateral (
      select case when store_some.model is not null then r.embedding end as embedding,
        case when store_some.model is null or r.embedding is null then 'lexical-384-v1' else store_some.model end as model) m
  where not exists (
    select from public.passages p
    where p.id = r.id and p.embedding_model = m.model and p.heading is not distinct from r.heading)
  on conflict (id) do update set embedding = excluded.embedding, embedding_model = excluded.embedding_model;

  perform private.index_passages(target, array(
    select p.id from public.passages p
    where p.version_id = target.current_version_id and p.reading_id = held.reading_id and p.ordinal >= first and p.ordinal < behind
  ), held.reading_id);
  insert into private.read_words (document_id, first, words, passages, occurrences)
    select target.id, store_some.first, coalesce(array_agg(w.word), '{}'), coalesce(array_agg(w.passages), '{}'),
      coalesce(array_agg(w.occurrences), '{}')
    from private.words_in(array(
      select concat_ws(' ', target.title, fields, r.heading, r.content)
      from private.passages_read(target.id, target.current_version_id, first, behind) r)) w;
end
$$;

/* Replaces all of a document's passages by those that a run has stored. */
create function private.finish_storing(target public.documents, held private.ingestion_runs) returns void
  language plpgsql set search_path = ''
as $$
declare
  reading constant jsonb := held.reading;
  total constant integer := (reading ->> 'count')::integer;
  spoken constant text := reading ->> 'language';
  configuration constant regconfig := private.text_configuration(spoken);
  reworded uuid[]; -- kept passages whose indexed words have changed
begin
  if exists (select from public.passages p where p.document_id = target.id and p.reading_id <> held.reading_id) then
    reworded := array(
      select p.id from private.passages_read(target.id, target.current_version_id, 0, total) r join public.passages p on p.id = r.id
      where p.reading_id <> held.reading_id and (p.heading, p.language) is distinct from (r.heading, spoken));
    update public.passages p set
        ordinal = r.ordinal, page = r.page, heading = r.heading, start_offset = r.start_offset, end_offset = r.end_offset,
        language = spoken
      from private.passages_read(target.id, target.current_version_id, 0, total) r
      where p.id = r.id and p.reading_id <> held.reading_id
        and (p.ordinal, p.page, p.heading, p.start_offset, p.end_offset, p.language)
          is distinct from (r.ordinal, r.page, r.heading, r.start_offset, r.end_offset, spoken);
    delete from public.passages p
      where p.document_id = target.id and p.reading_id <> held.reading_id
        and not exists (select from private.passages_read(target.id, target.current_version_id, 0, total) r where r.id = p.id);
    delete from private.all_passage_terms t where t.passage_id = any (reworded);
    perform private.index_passages(target, reworded, held.reading_id);
  end if;

  perform private.add_document_words(array[target.id], -1);
  insert into private.document_words
    with words as (
      select w.word, sum(w.passages) as passages, sum(w.occurrences) as occurrences
      from private.read_words r, unnest(r.words, r.passages, r.occurrences) as w (word, passages, occurrences)
      where r.document_id = target.id group by 1
    ), counted as (
      select w.word, private.term(target.library_id, spoken, s.stem) as term, w.passages, w.occurrences
      from words w, unnest(private.stems_of_word(configuration, w.word)) as s (stem)
      union all
      select '', c.term, c.passages, c.occurrences from private.stem_counts(target.id, held.reading_id) c
    )
    select target.id, target.library_id, array_agg(word order by word, term), array_agg(term order by word, term),
      array_agg(passages order by word, term), array_agg(occurrences order by word, term)
    from counted
  on conflict (document_id) do update set
    words = excluded.words, terms = excluded.terms, passages = excluded.passages, occurrences = excluded.occurrences;
  perform private.add_document_words(array[target.id], 1);
  if total > 0 then
    insert into private.library_languages values (target.library_id, coalesce(spoken, 'en')) on conflict do nothing;
  end if;

  update public.versions v set
    page_count = (reading ->> 'pages')::integer, mime_type = coalesce(reading ->> 'mime', v.mime_type),
    rendition_path = coalesce(reading ->> 'rendition', v.rendition_path), width = (reading ->> 'width')::integer,
    height = (reading ->> 'height')::integer, indexer_version = coalesce((reading ->> 'indexer_version')::integer, v.indexer_version),
    outline = case when reading ? 'outline' then nullif(reading -> 'outline', 'null') else v.outline end
  where v.id = target.current_version_id;
  update public.documents d set
    state = 'ready', problem = null, progress = 100, page_count = (reading ->> 'pages')::integer,
    mime_type = coalesce(reading ->> 'mime', d.mime_type), width = (reading ->> 'width')::integer, height = (reading ->> 'height')::integer,
    excerpt = private.first_lines(d.id)
  where d.id = target.id;
  -- Deleting its row reveals the run's passages.
  delete from private.ingestion_runs r where r.document_id = target.id;
  perform private.anchor_comments(target.id);
end
$$;

/* Applies metadata before the first passage, because a later title would reindex all. Replaces a title that is only the file name, and
   keeps an existing reference. */
create function private.adopt_facts(document uuid, version uuid, reading jsonb) returns void
  language sql set search_path = ''
as $$
  update public.documents d set
    author = case when d.reference ? 'author' then d.author else reading ->> 'author' end,
    dated = case when d.reference ? 'issued' then d.dated else (reading ->> 'dated')::date end,
    reference = coalesce(d.reference, nullif(reading -> 'reference', 'null')),
    title = case when private.letters(d.title) in (
        select private.letters(name) from public.versions v, unnest(array[v.file_name, regexp_replace(v.file_name, '\.[^.]*$', '')]) name
        where v.id = version)
      then coalesce(reading ->> 'title', d.title) else d.title end
  where d.id = document
$$;

/* Continues storing for about `most_time`; `model` made the vectors, if any. Returns the passages left; at 0 the new ones replace the old.
   Null if there is nothing to store: the run lost the document, a newer version exists, or it's in the trash. */
create function public.store_reading(run uuid, version uuid, model text default null, most_time interval default '0.2 seconds')
  returns integer
  language plpgsql set search_path = ''
as $$
declare
  held private.ingestion_runs := private.hold_run(run);
  target public.documents;
  until constant timestamptz := clock_timestamp() + most_time;
  at_once constant integer := 16;
  total constant integer := (held.reading ->> 'count')::integer;
begin
  if held.document_id is null then return null; end if;
  -- Run data is unlogged: after a crash it is lost and read again.
  if total is distinct from (select count(*) from private.read_passages p where p.document_id = held.document_id) then
    perform private.discard_stored(held.document_id);
    update private.ingestion_runs r set reading = null where r.document_id = held.document_id;
    held.reading := null;
  end if;
  if held.reading is null or not exists (select from public.documents d
      where d.id = held.document_id and d.current_version_id = version and d.deleted_at is null) then
    perform public.release_run(run);
    return null;
  end if;
  if held.reading_id is null then
    perform private.adopt_facts(held.document_id, version, held.reading);
    held.reading_id := nextval('private.reading_ids');
    held.stored := 0;
  end if;
  select * into target from public.documents d where d.id = held.document_id;
  while held.stored < total loop
    perform private.store_some(target, held, model, held.stored, held.stored + at_once);
    held.stored := least(held.stored + at_once, total);
    exit when clock_timestamp() > until;
  end loop;
  update private.ingestion_runs r set reading_id = held.reading_id, stored = held.stored, attempts = 0
    where r.document_id = held.document_id;
  if held.stored = total then perform private.finish_storing(target, held);
  else
    update public.documents d set state = 'embedding', progress = 90 + 9 * held.stored / total
      where d.id = held.document_id and d.state <> 'ready';
  end if;
  return total - held.stored;
end
$$;
grant execute on function public.store_reading to service_role;
