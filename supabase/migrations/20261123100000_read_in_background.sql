-- Documents are read in the background, in the order in which they came, whoever added them and however: a queue in the database,
-- and the function `ingest`, which is called while something waits. No screen has to be open
drop function public.begin_ingestion, public.begin_unfurl, public.report_ingestion, private.begin_run;

-- What a document says about itself, and its table of contents: [{ title, level, page }].
alter table public.documents add column author text check (char_length(author) <= 300), add column dated date;
alter table public.versions add column outline jsonb;
-- As before, but `author` is the parameter: it has become the name of a column, too.
create or replace function public.take_mention_mails(comment uuid, author uuid)
  returns table (user_id uuid, email text, library_id uuid, document_id uuid, author_name text, library_name text, title text, body text)
  language plpgsql security definer set search_path = ''
as $$
#variable_conflict use_column
declare
  left_over integer;
begin
  -- One at a time for an author: two that count at once would both find room.
  perform from public.profiles p where p.id = take_mention_mails.author for no key update;
  select 60 - count(*) into left_over from public.mentions m join public.comments c on c.id = m.comment_id
    where c.created_by = take_mention_mails.author and m.mailed_at > now() - interval '1 hour';
  return query
  with owed as (
    select m.comment_id, m.user_id from public.mentions m
    join public.comments c on c.id = m.comment_id and c.created_by = take_mention_mails.author
    join public.profiles p on p.id = m.user_id and p.mentions_by_mail
    join auth.users u on u.id = m.user_id and u.email_confirmed_at is not null
    join public.documents d on d.id = m.document_id and d.deleted_at is null
    where m.comment_id = comment and m.mailed_at is null
      and m.user_id in (select a.user_id from public.document_audience(m.document_id) a)
    order by m.user_id limit greatest(left_over, 0)
  ), taken as (
    update public.mentions m set mailed_at = now() from owed
    where m.comment_id = owed.comment_id and m.user_id = owed.user_id
    returning m.*
  )
  select t.user_id, u.email::text, t.library_id, t.document_id, a.display_name,
    case when l.require_second_factor then null else l.name end,
    case when l.require_second_factor then null else d.title end,
    case when l.require_second_factor then null else c.body end
  from taken t
  join auth.users u on u.id = t.user_id
  join public.comments c on c.id = t.comment_id
  join public.documents d on d.id = t.document_id
  join public.libraries l on l.id = t.library_id
  join public.profiles a on a.id = take_mention_mails.author;
end
$$;

/* A document that waits to be read, or is being read. store_passages deletes its row; a failure does, too. */
alter table private.ingestion_runs
  alter column reported_at drop not null, -- null while it waits; a run reports at least every minute
  alter column attempts set default 0,    -- runs that began and broke off without a word
  add column position bigint generated always as identity,
  add column priority smallint not null default 1, -- 0 somebody waits for it, 1 it is new, 9 it is read again for better passages
  add column refetch boolean not null default false, -- a link, whose page is fetched first
  add column due_at timestamptz not null default now(),
  add column run uuid, -- who reads it
  add column reading jsonb; -- what has been read, once all of the text has: see keep_reading
create index ingestion_runs_order_idx on private.ingestion_runs (priority, position);

-- What a run has read so far, so that the next one goes on there: pages of a PDF, then passages with or without their vectors.
create unlogged table private.read_pages (
  document_id uuid not null references private.ingestion_runs on delete cascade,
  page integer not null,
  lines jsonb not null,
  primary key (document_id, page)
);
create unlogged table private.read_passages (
  document_id uuid not null references private.ingestion_runs on delete cascade,
  ordinal integer not null,
  passage jsonb not null,
  embedding extensions.vector(384),
  primary key (document_id, ordinal)
);

/* One row. `key` is the word by which `ingest` knows that the database calls; `maker` and `model` are the newest version of the
   making of passages, and the newest language model, that it has told of. */
create table private.indexing (
  id boolean primary key default true check (id),
  key text not null default encode(extensions.gen_random_bytes(32), 'hex'),
  at_once smallint not null default 2, -- runs
  maker integer not null default 0,
  model text,
  problem text -- why the function could not be called the last time; null when it could
);
insert into private.indexing default values;

-- Calls of the function that have not been answered yet. Their answer is looked for by tend_indexing.
create table private.indexing_calls (
  id bigint generated always as identity primary key,
  request bigint not null, -- of pg_net
  called_at timestamptz not null default now(),
  arrived boolean not null default false
);
alter table private.read_pages enable row level security;
alter table private.read_passages enable row level security;
alter table private.indexing enable row level security;
alter table private.indexing_calls enable row level security;

-- Which version of the making of passages has read it; null if none has, because its passages came with it.
alter table public.versions add column maker integer;
update public.versions v set maker = 1 where exists (select from public.passages p where p.version_id = v.id);

/* Where the project's functions are: `project_url` in the vault (docs/hosted.md), otherwise the name that the API has for a
   database on a developer's machine. */
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

/* Calls the function `ingest` if something waits and not enough runs are at work or on their way. A transaction looks once,
   however many documents it adds; the request leaves when it commits. */
create function private.call_indexer() returns void
  language plpgsql security definer set search_path = ''
as $$
declare
  settings private.indexing;
  request bigint;
  call bigint;
begin
  if to_regnamespace('net') is null or current_setting('carrel.indexer_called', true) = pg_current_xact_id()::text then return; end if;
  perform set_config('carrel.indexer_called', pg_current_xact_id()::text, true);
  select * into settings from private.indexing;
  if not exists (
      select from private.ingestion_runs r join public.documents d on d.id = r.document_id
      where r.due_at <= now() and (r.reported_at is null or r.reported_at < now() - interval '1 minute') and d.deleted_at is null)
    or (select count(*) from private.ingestion_runs r where r.reported_at > now() - interval '1 minute')
     + (select count(*) from private.indexing_calls c where not c.arrived and c.called_at > now() - interval '5 seconds')
       >= settings.at_once
  then return; end if;
  call := nextval('private.indexing_calls_id_seq');
  execute 'select net.http_post(url => $1, body => $2, headers => $3, timeout_milliseconds => 60000)' into request
    using private.functions_url() || 'ingest', jsonb_build_object('call', call),
      jsonb_build_object('content-type', 'application/json', 'x-indexing-key', settings.key);
  insert into private.indexing_calls (id, request) overriding system value values (call, request);
end
$$;

create function private.call_indexer_at_commit() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  perform private.call_indexer();
  return null;
end
$$;
-- At the end of the transaction: what is stored together with its passages (a seed) waits no more by then.
create constraint trigger call_indexer after insert or update of priority on private.ingestion_runs
  deferrable initially deferred for each row execute function private.call_indexer_at_commit();

/* Puts documents at the end of the queue. One that waits already keeps its place, or gets a better one; one that is being read is
   read again afterwards if it has changed (see finish_indexing). */
create function private.queue_documents(documents uuid[], priority smallint, refetch boolean) returns void
  language sql security definer set search_path = ''
as $$
  insert into private.ingestion_runs as r (document_id, priority, refetch)
    select id, queue_documents.priority, queue_documents.refetch from unnest(documents) id
  on conflict (document_id) do update set
    priority = least(r.priority, excluded.priority), refetch = r.refetch or excluded.refetch, attempts = 0, due_at = now()
$$;

create function private.queue_versions() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  perform private.queue_documents(array_agg(distinct added.document_id), 1::smallint, false) from added;
  return null;
end
$$;
create trigger queue_versions after insert on public.versions referencing new table as added
  for each statement execute function private.queue_versions();

create function private.queue_links() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  perform private.queue_documents(array_agg(added.id), 1::smallint, true) from added where added.kind = 'link';
  return null;
end
$$;
create trigger queue_links after insert on public.documents referencing new table as added
  for each statement execute function private.queue_links();

/* Has documents read again, before all others; a link's page is fetched anew. Returns how many: those that the caller may edit,
   that are not in the trash, and that have something to read. */
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
  update public.documents d set state = 'queued', state_message = null, progress = 0
    where d.id = any (found_documents) and d.state in ('ready', 'failed');
  perform private.queue_documents(found_documents, 0::smallint, false);
  update private.ingestion_runs r set refetch = true from public.documents d
    where r.document_id = d.id and d.id = any (found_documents) and d.kind = 'link' and r.run is null;
  return cardinality(found_documents);
end
$$;

/* Whether the caller is the database: the key that it sends with each call. */
create function public.is_indexing_call(key text) returns boolean
  language sql stable security definer set search_path = ''
as $$ select sha256(convert_to(i.key, 'UTF8')) = sha256(convert_to(is_indexing_call.key, 'UTF8')) from private.indexing i $$;

/* A function that can be called tells which version of the making of passages it has, and which language model. Documents that
   were read by an older one, or have other vectors, are read again behind all others. `call` is the call's number. */
create function public.announce_indexer(maker integer, model text default null, call bigint default null) returns void
  language plpgsql security definer set search_path = ''
as $$
begin
  update private.indexing_calls c set arrived = true where c.id = call;
  update private.indexing set problem = null where problem is not null;
  update private.indexing i set maker = greatest(announce_indexer.maker, i.maker), model = coalesce(announce_indexer.model, i.model)
    where i.maker < announce_indexer.maker or i.model is distinct from coalesce(announce_indexer.model, i.model);
  if not found then return; end if;
  insert into private.ingestion_runs (document_id, priority)
    select d.id, 9 from public.documents d join public.versions v on v.id = d.current_version_id
    where d.state = 'ready' and d.deleted_at is null and (
      v.maker < announce_indexer.maker
      or exists (select from public.passages p where p.document_id = d.id and p.embedding_model <> announce_indexer.model))
    order by d.created_at
  on conflict (document_id) do nothing;
end
$$;

/* Takes the next document that waits, or the given one if it waits, and says what there is to read. No row when nothing waits, or
   when enough runs are at work (that does not hold for a given one). A document whose runs broke off three times has failed.
   The document's row is locked before that of its run, here and everywhere. */
create function public.take_document(document uuid default null) returns table (
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
      where (document is null or d.id = document) and d.deleted_at is null and r.due_at <= now()
        and (r.reported_at is null or r.reported_at < now() - interval '1 minute')
      order by r.priority, r.position limit 1 for no key update of d skip locked;
    if not found then return; end if;
    update private.ingestion_runs r set
        run = gen_random_uuid(), reported_at = clock_timestamp(), attempts = r.attempts + (r.run is not null)::integer
      where r.document_id = next.id and (r.reported_at is null or r.reported_at < now() - interval '1 minute')
      returning * into taken;
    if not found then return; end if;
    -- What a run keeps is not written ahead: after a crash of the database it is gone.
    if (taken.reading ->> 'count')::integer <> (select count(*) from private.read_passages p where p.document_id = next.id) then
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

/* A document is left with a message, and its run ends. One that is read again for better passages keeps those that it has. */
create function private.end_run(document uuid, message text) returns void
  language sql set search_path = ''
as $$
  update public.documents d set state = 'failed', state_message = message, progress = 0 where d.id = document and d.state <> 'ready';
  delete from private.ingestion_runs r where r.document_id = document;
$$;

/* Holds a run's document and renews the run. Null when the run has lost the document: it was deleted, or another run has it. */
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

/* A run's sign of life. False when the run has lost the document. */
create function public.report_indexing(run uuid, state public.ingestion_state, progress integer) returns boolean
  language plpgsql security definer set search_path = ''
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

/* Keeps pages of a PDF, [[line, …], …] from the page `first` (counted from 1). Progress: earlier runs that broke off do not count
   any more. False when the run has lost the document. */
create function public.keep_pages(run uuid, first integer, pages jsonb) returns boolean
  language plpgsql security definer set search_path = ''
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
-- All pages that runs of this document have kept, in order.
create function public.kept_pages(run uuid) returns jsonb
  language sql stable security definer set search_path = ''
as $$
  select coalesce(jsonb_agg(p.lines order by p.page), '[]')
  from private.read_pages p join private.ingestion_runs r using (document_id) where r.run = kept_pages.run
$$;

/* Keeps passages, [{ page, heading, start, end, content }, …] in reading order from the ordinal `first`. */
create function public.keep_passages(run uuid, first integer, passages jsonb) returns boolean
  language plpgsql security definer set search_path = ''
as $$
declare
  held private.ingestion_runs := private.hold_run(run);
begin
  insert into private.read_passages (document_id, ordinal, passage)
    select held.document_id, first + p.ordinality - 1, p.value from jsonb_array_elements(passages) with ordinality p
    where held.document_id is not null
  on conflict (document_id, ordinal) do update set passage = excluded.passage, embedding = null;
  return held.document_id is not null;
end
$$;
/* All of the text is read, and all passages are kept: `reading` is what else is known of it, { maker, count, pages, mime,
   rendition, width, height, language, title, author, dated, outline }. */
create function public.keep_reading(run uuid, reading jsonb) returns boolean
  language plpgsql security definer set search_path = ''
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

-- The next passages that have no vector yet, and those that get one: [{ ordinal, embedding }, …].
create function public.passages_to_embed(run uuid, most integer) returns table (ordinal integer, heading text, content text)
  language sql stable security definer set search_path = ''
as $$
  select p.ordinal, p.passage ->> 'heading', p.passage ->> 'content'
  from private.read_passages p join private.ingestion_runs r using (document_id)
  where r.run = passages_to_embed.run and p.embedding is null order by p.ordinal limit most
$$;
create function public.keep_embeddings(run uuid, embeddings jsonb) returns boolean
  language plpgsql security definer set search_path = ''
as $$
declare
  held private.ingestion_runs := private.hold_run(run);
begin
  update private.read_passages p set embedding = (e.value ->> 'embedding')::extensions.vector
    from jsonb_array_elements(embeddings) e
    where p.document_id = held.document_id and p.ordinal = (e.value ->> 'ordinal')::integer;
  update private.ingestion_runs r set attempts = 0 where r.document_id = held.document_id;
  return held.document_id is not null;
end
$$;

/* Stores what a run has read in the place of all passages that the document had. `model` made the vectors; null leaves them to the
   database. Returns how many passages there are, or null when a newer version is there: it is read by the next run. */
create function public.finish_indexing(run uuid, version uuid, model text default null) returns integer
  language plpgsql security definer set search_path = '' set statement_timeout = '5min'
as $$
declare
  held private.ingestion_runs := private.hold_run(run);
  stored integer;
begin
  if held.document_id is null then return null; end if;
  stored := public.store_passages(
    version => version,
    passages => (
      select coalesce(jsonb_agg(case when model is null then p.passage
        else p.passage || jsonb_build_object('embedding', p.embedding::text) end order by p.ordinal), '[]')
      from private.read_passages p where p.document_id = held.document_id),
    model => model,
    pages => (held.reading ->> 'pages')::integer,
    mime => held.reading ->> 'mime',
    rendition => held.reading ->> 'rendition',
    width => (held.reading ->> 'width')::integer,
    height => (held.reading ->> 'height')::integer,
    language => held.reading ->> 'language');
  if stored is null then
    perform public.release_run(run);
    return null;
  end if;
  update public.versions v set maker = (held.reading ->> 'maker')::integer, outline = nullif(held.reading -> 'outline', 'null')
    where v.id = version;
  -- A title that is only the file's name is replaced by the one that stands in the document.
  update public.documents d set
    author = held.reading ->> 'author', dated = (held.reading ->> 'dated')::date,
    title = case when private.letters(d.title) in (
        select private.letters(name) from public.versions v, unnest(array[v.file_name, regexp_replace(v.file_name, '\.[^.]*$', '')]) name
        where v.id = version)
      then coalesce(held.reading ->> 'title', d.title) else d.title end
  where d.id = held.document_id;
  return stored;
end
$$;

/* The end of a run that could not read its document, with what to do about it. What may pass is tried three times in all. */
create function public.fail_indexing(run uuid, version uuid, message text, may_pass boolean default false) returns void
  language plpgsql security definer set search_path = ''
as $$
declare
  held private.ingestion_runs := private.hold_run(run);
begin
  if exists (select from public.documents d where d.id = held.document_id and d.current_version_id is distinct from version) then
    perform public.release_run(run); -- a newer version has come meanwhile: the next run reads that one
  elsif may_pass and held.attempts < 2 then
    update private.ingestion_runs r set
      run = null, reported_at = null, attempts = held.attempts + 1, due_at = now() + interval '10 seconds' * (1 + 2 * held.attempts)
    where r.document_id = held.document_id;
  else
    update public.versions v set maker = i.maker from private.indexing i where v.id = version;
    perform private.end_run(held.document_id, message);
  end if;
end
$$;

/* Gives a document back to the queue, at its place. What was read of an older version, or of an older page of a link, is no use
   any more: `fetched` tells that the page has been fetched. */
create function public.release_run(run uuid, fetched boolean default false) returns void
  language plpgsql security definer set search_path = ''
as $$
declare
  held private.ingestion_runs := private.hold_run(run);
begin
  update private.ingestion_runs r set run = null, reported_at = null, refetch = r.refetch and not fetched
    where r.document_id = held.document_id;
  perform private.call_indexer();
end
$$;

-- A new version, and a page that is fetched anew, make useless what was read of the one before.
create function private.forget_reading() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  if new.current_version_id is distinct from old.current_version_id then
    update private.ingestion_runs r set reading = null where r.document_id = new.id;
    delete from private.read_pages p where p.document_id = new.id;
    delete from private.read_passages p where p.document_id = new.id;
  end if;
  return null;
end
$$;
create trigger forget_reading after update of current_version_id on public.documents
  for each row execute function private.forget_reading();

/* What the next call is for, when one ends: it goes on with what waits. */
create function public.call_indexer() returns void
  language sql security definer set search_path = ''
as $$ select private.call_indexer() $$;

/* Every ten seconds: calls the function if something waits that nobody reads (a call that was lost, a run that was killed, a
   document out of the trash), and keeps in mind why the last call failed. */
create function private.tend_indexing() returns void
  language plpgsql security definer set search_path = ''
as $$
declare
  call private.indexing_calls;
  answer record;
  found_problem text;
begin
  if to_regclass('net._http_response') is not null then
    for call in select * from private.indexing_calls order by id loop
      execute 'select status_code, timed_out, error_msg, content from net._http_response where id = $1' into answer using call.request;
      if answer is null then
        delete from private.indexing_calls c where c.id = call.id and c.called_at < now() - interval '2 minutes';
        continue;
      end if;
      delete from private.indexing_calls c where c.id = call.id;
      found_problem := case
        when coalesce(answer.status_code, 0) between 200 and 299 or call.arrived then null
        when answer.status_code = 404 then 'Documents cannot be read now: the function “ingest” is not deployed. Whoever runs this service deploys it.'
        when answer.status_code = 503 then 'Documents cannot be read now: the function “ingest” cannot start. Whoever runs this service finds the reason in its log.'
        when answer.status_code is not null then 'Documents cannot be read now: the function “ingest” answered with the status ' || answer.status_code || '. Whoever runs this service finds the reason in its log.'
        else 'Documents cannot be read now: the function “ingest” cannot be reached. Whoever runs this service stores its address in the vault as “project_url”.'
      end;
      if found_problem is not null then
        update private.indexing i set problem = found_problem where i.problem is distinct from found_problem;
      end if;
    end loop;
  end if;
  -- While the function is out of order, one call in ten seconds finds out when it is mended.
  perform private.call_indexer();
end
$$;

/* How far the reading of a library is, as the caller sees it: documents in all, read, waiting, being read, failed; and what keeps
   the waiting ones from being read, if something does. */
create function private.indexing_problem() returns text
  language sql stable security definer set search_path = ''
as $$ select problem from private.indexing $$;
create function public.indexing_progress(library uuid)
  returns table (total bigint, done bigint, waiting bigint, running bigint, failed bigint, problem text)
  language sql stable set search_path = ''
as $$
  select count(*), count(*) filter (where d.state = 'ready'), count(*) filter (where d.state = 'queued'),
    count(*) filter (where d.state in ('extracting', 'embedding')), count(*) filter (where d.state = 'failed'),
    case when count(*) filter (where d.state not in ('ready', 'failed')) > 0 then private.indexing_problem() end
  from public.documents d where d.library_id = library and d.deleted_at is null
$$;

grant execute on function private.indexing_problem, public.indexing_progress, public.read_again to authenticated;
grant execute on function public.is_indexing_call, public.announce_indexer, public.take_document, public.report_indexing,
  public.keep_pages, public.kept_pages, public.keep_passages, public.keep_reading, public.passages_to_embed,
  public.keep_embeddings, public.finish_indexing, public.fail_indexing, public.release_run, public.call_indexer to service_role;

-- What waits already, and what an older screen had asked for.
delete from private.ingestion_runs;
update public.documents set state = 'queued', progress = 0 where state in ('extracting', 'embedding');
insert into private.ingestion_runs (document_id, refetch)
  select id, kind = 'link' and current_version_id is null from public.documents
  where state = 'queued' and (current_version_id is not null or kind = 'link') order by created_at;

do $$
begin
  if exists (select from pg_available_extensions where name = 'pg_net') then
    create extension if not exists pg_net;
  end if;
  if exists (select from pg_available_extensions where name = 'pg_cron') then
    create extension if not exists pg_cron;
    perform cron.schedule('index', '10 seconds', 'select private.tend_indexing()');
    -- pg_cron remembers each run of each job for ever.
    perform cron.schedule('index-log', '41 * * * *',
      $job$delete from cron.job_run_details d using cron.job j where d.jobid = j.jobid and j.jobname = 'index' and d.end_time < now() - interval '1 hour'$job$);
  end if;
end
$$;
