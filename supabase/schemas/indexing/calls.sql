-- Calls of the function `ingest`, and why they fail.

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

insert into private.indexing default values;

-- Calls of the function in the last hour. Their responses say why one hasn't arrived (indexing_problem).
create table private.indexing_calls (
  id bigint generated always as identity primary key,
  request bigint not null, -- of pg_net
  called_at timestamptz not null default now(),
  has_arrived boolean not null default false
);

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
    update private.indexing_runs r set reported_at = '-infinity' where r.document_id in (
      select b.document_id from private.indexing_runs b join private.indexing_calls c on c.id = b.call
      join net._http_response a on a.id = c.request and a.status_code is not null and a.created > now() - interval '5 minutes'
      where b.run is not null and b.reported_at > '-infinity' for no key update of b skip locked)
  $query$;
  if not exists (select from private.outdated_words) and not exists (
      select from private.indexing_runs r join public.documents d on d.id = r.document_id
      where r.due_at <= now() and (r.reported_at is null or r.reported_at < now() - interval '1 minute') and d.deleted_at is null)
    or private.runs_at_work() + (select count(*) from private.indexing_calls c where not c.has_arrived and c.called_at > now() - interval '5 seconds')
      >= settings.at_once
  then return; end if;
  call := nextval('private.indexing_calls_id_seq');
  execute 'select net.http_post(url => $1, body => $2, headers => $3, timeout_milliseconds => 60000)' into request
    using private.functions_url() || 'ingest', jsonb_build_object('call', call),
      jsonb_build_object('content-type', 'application/json', 'x-database-key', settings.key);
  insert into private.indexing_calls (id, request) overriding system value values (call, request);
end
$$;

-- Deferred, so that documents stored with their passages (a seed) no longer wait by then.
create constraint trigger call_indexer after insert or update of priority on private.indexing_runs
  deferrable initially deferred for each row execute function private.call_at_commit('ingest');

/* Starts the next call when one ends. Why a definer: the service role can't read the vault or send requests by pg_net. */
create function public.call_indexer() returns void
  language sql security definer set search_path = ''
as $$ select private.call_indexer() $$;
grant execute on function public.call_indexer to service_role;

/* Whether the caller is the database, by the key it sends with each call. */
create function public.is_database_call(key text) returns boolean
  language sql stable set search_path = ''
as $$ select sha256(convert_to(i.key, 'UTF8')) = sha256(convert_to(is_database_call.key, 'UTF8')) from private.indexing i $$;
grant execute on function public.is_database_call to service_role;

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
  insert into private.indexing_runs (document_id, priority)
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
