-- Notifications that are made in the background, once a minute: of imports that have ended, and of what saved searches newly find

/* What was read of a person's uploads in a library since the last notification of them. */
create table private.imports (
  library_id uuid not null references public.libraries on delete cascade,
  user_id uuid not null references public.profiles on delete cascade,
  done integer not null default 0,
  failed integer not null default 0,
  document_id uuid not null, -- the latest, of those that failed if any did
  started_at timestamptz not null,
  ended_at timestamptz not null default now(),
  primary key (library_id, user_id)
);
create index imports_user_id_idx on private.imports (user_id);
alter table private.imports enable row level security;

/* Who uploaded the current version of a document, or added a link; null of a note. */
create function private.uploader(document public.documents) returns uuid
  language sql stable set search_path = ''
as $$
  select case when document.kind <> 'note' then coalesce(
    (select v.created_by from public.versions v where v.id = document.current_version_id), document.created_by) end
$$;

/* Counts a document that a run has read for the first time. One that is read again, at somebody's wish or for better passages, is no
   news. When a run ends, the document's state is known at the end of the transaction. */
create function private.count_reading() returns trigger
  language plpgsql security definer set search_path = ''
as $$
declare
  document public.documents;
  person uuid;
begin
  select * into document from public.documents d
    where d.id = old.document_id and d.deleted_at is null and d.state in ('ready', 'failed');
  select p.id into person from public.profiles p where p.id = private.uploader(document);
  if person is null then return null; end if;
  insert into private.imports as i (library_id, user_id, done, failed, document_id, started_at)
    values (document.library_id, person, (document.state = 'ready')::integer, (document.state = 'failed')::integer, document.id,
      coalesce((select v.created_at from public.versions v where v.id = document.current_version_id), document.created_at))
  on conflict (library_id, user_id) do update set
    done = i.done + excluded.done, failed = i.failed + excluded.failed, ended_at = now(),
    document_id = case when excluded.failed > 0 or i.failed = 0 then excluded.document_id else i.document_id end,
    started_at = least(i.started_at, excluded.started_at);
  return null;
end
$$;
create constraint trigger count_reading after delete on private.ingestion_runs
  deferrable initially deferred for each row when (old.run is not null and old.priority = 1) execute function private.count_reading();

/* Tells of imports that have ended: nothing of them waits, and nothing was read for `quiet`. One notification for all of a person's
   uploads in a library. What took less than a minute, and all of it was read, its person has seen. One that is still unread becomes a
   part of the new one. */
create function private.notify_of_imports(quiet interval default '20 seconds') returns void
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

/* The first and the last day of a date as a saved search has it: "2026-03-05", "2026-03", "2026", or two of them, "2019..2021". */
create function private.day_range(dated text) returns table (first date, last date)
  language sql immutable strict set search_path = ''
as $$
  select (parts.start || substr('0000-01-01', char_length(parts.start) + 1))::date,
    case char_length(parts.finish)
      when 4 then (parts.finish || '-12-31')::date
      when 7 then (parts.finish || '-01')::date + interval '1 month' - interval '1 day'
      else parts.finish::date end
  from (select nullif(split_part(dated, '..', 1), '') as start,
    nullif(case when position('..' in dated) > 0 then split_part(dated, '..', 2) else dated end, '') as finish) parts
$$;

/* The filters of search_passages that those of a saved search stand for, as src/features/search/search-filter.ts has them. Days are
   those of a time zone. An error where the saved search contains what no screen writes. */
create function private.passage_filters(saved jsonb, zone text default 'UTC') returns jsonb
  language sql stable set search_path = ''
as $$
  select jsonb_strip_nulls(jsonb_build_object(
    'collection', saved ->> 'collection',
    'tags', case when saved ->> 'tag' is not null then jsonb_build_array(saved ->> 'tag') end,
    'kinds', case when saved ->> 'kind' is not null then jsonb_build_array(saved ->> 'kind') end,
    'people', case when saved ->> 'person' is not null then jsonb_build_array(saved ->> 'person') end,
    'since', case saved ->> 'since'
      when 'week' then (date_trunc('day', now(), 'UTC') - interval '7 days')::text
      when 'month' then (date_trunc('day', now(), 'UTC') - interval '30 days')::text
      when 'year' then (date_trunc('day', now(), 'UTC') - interval '365 days')::text
      else ((select first from private.day_range(saved ->> 'since'))::timestamp at time zone zone)::text end,
    'until', (((select last from private.day_range(saved ->> 'until')) + 1)::timestamp at time zone zone - interval '1 millisecond')::text,
    'media_types', case saved ->> 'type'
      when 'pdf' then '["application/pdf"]'::jsonb when 'word' then '["%wordprocessingml%"]' when 'book' then '["application/epub%"]'
      when 'web' then '["text/html%"]' when 'markdown' then '["text/markdown%"]' when 'text' then '["text/plain%"]'
      when 'table' then '["text/csv%"]' when 'image' then '["image/%"]' end,
    'title', saved ->> 'title',
    'author', saved ->> 'author',
    'dated_from', (select first from private.day_range(saved ->> 'dated')),
    'dated_to', (select last from private.day_range(saved ->> 'dated'))))
$$;

-- Up to which passages the database has asked a saved search for its person. `looked_at` is what the person has seen themselves.
alter table public.saved_searches add column checked_at timestamptz not null default now();
create index saved_searches_checked_at_idx on public.saved_searches (checked_at);

/* Asks saved searches for passages that have come since they were last asked, the longest waiting first: at most `most`, and no
   longer than two seconds. What their own person has written or uploaded is no news to them. A library that requires a second factor
   is searched, too; its notifications are hidden until it was used. */
create function private.notify_of_hits(most integer default 50) returns void
  language plpgsql security definer set search_path = ''
as $$
declare
  hidden constant integer[] := array(select private.unfinished_readings());
  until constant timestamptz := clock_timestamp() + interval '2 seconds';
  asked record;
  hits integer;
  earlier integer;
begin
  for asked in
    with newest as materialized (
      -- Passages that are hidden now are news when they appear: the time stops before them.
      select l.library_id, least(
        (select p.created_at from public.passages p where p.library_id = l.library_id and p.reading_id <> all (hidden)
          order by p.created_at desc limit 1),
        (select min(p.created_at) from public.passages p where p.library_id = l.library_id and p.reading_id = any (hidden))
          - interval '1 microsecond') as up_to
      from (select distinct s.library_id from public.saved_searches s) l
    )
    select s.id, s.library_id, s.user_id, s.query, s.filters, greatest(s.checked_at, s.looked_at) as since, n.up_to
    from public.saved_searches s join newest n on n.library_id = s.library_id
    where s.checked_at < n.up_to
    order by s.checked_at, s.id limit most for update of s skip locked
  loop
    hits := 0;
    begin
      perform set_config('request.jwt.claims',
        jsonb_build_object('sub', asked.user_id, 'role', 'authenticated', 'aal', 'aal2')::text, true);
      select count(*)::integer into hits
      from (
        select jsonb_agg(d.document_id) as ids from (
          select p.document_id from public.passages p join public.versions v on v.id = p.version_id
          where p.library_id = asked.library_id and p.created_at > asked.since and p.created_at <= asked.up_to
            and v.created_by is distinct from asked.user_id
          group by p.document_id order by max(p.created_at) desc limit 300) d
      ) news
      cross join lateral public.search_passages(asked.library_id, asked.query, max_results => 100,
        filters => private.passage_filters(asked.filters) || jsonb_build_object('documents', news.ids)) hit
      join public.passages p on p.id = hit.passage_id
      where news.ids is not null and p.created_at > asked.since;
    exception when others then
      -- A client may have saved filters that no search takes.
      raise warning 'saved search %: %', asked.id, sqlerrm;
    end;
    perform set_config('request.jwt.claims', '', true);
    update public.saved_searches s set checked_at = asked.up_to where s.id = asked.id;
    if hits > 0 then
      with replaced as (
        delete from public.notifications n where n.search_id = asked.id and n.read_at is null returning n.amount
      )
      select coalesce(sum(r.amount), 0)::integer into earlier from replaced r;
      insert into public.notifications (user_id, kind, library_id, search_id, amount)
        values (asked.user_id, 'search', asked.library_id, asked.id, least(hits + earlier, 100));
    end if;
    exit when clock_timestamp() > until;
  end loop;
end
$$;

-- Whoever looks at what a saved search finds has read its notifications.
create function private.read_hits() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  update public.notifications n set read_at = now() where n.search_id = new.id and n.read_at is null;
  return null;
end
$$;
create trigger read_hits after update of looked_at on public.saved_searches
  for each row when (new.looked_at > old.looked_at) execute function private.read_hits();

create function private.tend_notifications() returns void
  language plpgsql security definer set search_path = ''
as $$
begin
  perform private.notify_of_imports();
  perform private.notify_of_hits();
end
$$;

do $$
begin
  if exists (select from pg_available_extensions where name = 'pg_cron') then
    create extension if not exists pg_cron;
    perform cron.schedule('notify', '* * * * *', 'select private.tend_notifications()');
    perform cron.schedule('index-log', '41 * * * *', $job$
      delete from cron.job_run_details d using cron.job j
      where d.jobid = j.jobid and j.jobname in ('index', 'notify') and d.end_time < now() - interval '1 hour'$job$);
  end if;
end
$$;
