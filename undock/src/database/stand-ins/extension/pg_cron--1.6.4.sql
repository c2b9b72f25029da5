-- pg_cron's tables and functions. undock, told of every change to a job by a notification, runs the jobs at their time,
-- which is GMT. Facts: citusdata/pg_cron, pg_cron.sql and src/job_metadata.c; grants as supabase/postgres makes them.

do $$
begin
  if to_regnamespace('cron') is null then create schema cron; end if;
end
$$;

create sequence cron.jobid_seq;
create sequence cron.runid_seq;

create table cron.job (
  jobid bigint primary key default nextval('cron.jobid_seq'),
  schedule text not null,
  command text not null,
  nodename text not null default 'localhost',
  nodeport integer not null default 5432,
  database text not null default current_database(),
  username text not null default current_user,
  active boolean not null default true,
  jobname text,
  constraint jobname_username_uniq unique (jobname, username)
);
alter table cron.job enable row level security;
create policy cron_job_policy on cron.job using (username = current_user);

create table cron.job_run_details (
  jobid bigint,
  runid bigint primary key default nextval('cron.runid_seq'),
  job_pid integer,
  database text,
  username text,
  command text,
  status text,
  return_message text,
  start_time timestamptz,
  end_time timestamptz
);
alter table cron.job_run_details enable row level security;
create policy cron_job_run_details_policy on cron.job_run_details using (username = current_user);

create function cron._tell() returns trigger language plpgsql set search_path = '' as $$
begin
  perform pg_catalog.pg_notify('undock', 'pg_cron');
  return null;
end
$$;
create trigger tell after insert or update or delete or truncate on cron.job
  for each statement execute function cron._tell();

-- The upstream trigger's name, which some scripts drop or mention.
create function cron.job_cache_invalidate() returns trigger language plpgsql as $$ begin return null; end $$;

create function cron._check_schedule(schedule text) returns void language plpgsql immutable set search_path = '' as $$
declare
  field constant text := '([0-9*/,$?LW-]|[A-Za-z]{3})+';
begin
  if schedule ~* '^\s*([1-9]|[1-5][0-9])\s+seconds?\s*$' then return; end if;
  if schedule ~* '^\s*@(yearly|annually|monthly|weekly|daily|midnight|hourly|reboot)\s*$' then return; end if;
  if schedule ~ ('^\s*' || field || '(\s+' || field || '){4}\s*$') then return; end if;
  raise exception 'invalid schedule: %', schedule using
    errcode = '22023',
    hint = 'Use cron format (e.g. 5 4 * * *), or interval format ''[1-59] seconds''';
end
$$;

create function cron._schedule(
  job_name text, schedule text, command text, database text, username text, active boolean
) returns bigint language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  made bigint;
begin
  perform cron._check_schedule(schedule);
  if not exists (select from pg_roles where rolname = username) then
    raise exception 'role "%" does not exist', username using errcode = '42704';
  end if;
  insert into cron.job (schedule, command, database, username, active, jobname)
  values ($2, $3, $4, $5, $6, $1)
  on conflict on constraint jobname_username_uniq do update
    set schedule = excluded.schedule, command = excluded.command, database = excluded.database, active = excluded.active
  returning jobid into made;
  return made;
end
$$;

create function cron.schedule(schedule text, command text) returns bigint language sql as $$
  select cron._schedule(null, $1, $2, current_database(), current_user::text, true)
$$;

create function cron.schedule(job_name text, schedule text, command text) returns bigint language sql as $$
  select cron._schedule($1, $2, $3, current_database(), current_user::text, true)
$$;

create function cron.schedule_in_database(
  job_name text, schedule text, command text, database text, username text default null, active boolean default true
) returns bigint language sql as $$
  select cron._schedule($1, $2, $3, $4, coalesce($5, current_user::text), $6)
$$;

create function cron._alter_job(
  caller text, job_id bigint, schedule text, command text, database text, username text, active boolean
) returns void language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if $3 is not null then perform cron._check_schedule($3); end if;
  update cron.job j set
    schedule = coalesce($3, j.schedule),
    command = coalesce($4, j.command),
    database = coalesce($5, j.database),
    username = coalesce($6, j.username),
    active = coalesce($7, j.active)
  where j.jobid = $2 and (j.username = caller or pg_has_role(caller, 'supabase_admin', 'member'));
  if not found then raise exception 'Job % does not exist or you don''t own it', job_id using errcode = '42704'; end if;
end
$$;

create function cron.alter_job(
  job_id bigint,
  schedule text default null,
  command text default null,
  database text default null,
  username text default null,
  active boolean default null
) returns void language sql as $$
  select cron._alter_job(current_user::text, $1, $2, $3, $4, $5, $6)
$$;

create function cron._unschedule(caller text, job_id bigint, job_name text) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  delete from cron.job j
  where (j.jobid = job_id or (job_id is null and j.jobname = job_name))
    and (j.username = caller or pg_has_role(caller, 'supabase_admin', 'member'));
  if not found then
    if job_id is null then raise exception 'could not find valid entry for job ''%''', job_name; end if;
    raise exception 'could not find valid entry for job %', job_id;
  end if;
  return true;
end
$$;

create function cron.unschedule(job_id bigint) returns boolean language sql as $$
  select cron._unschedule(current_user::text, $1, null)
$$;

create function cron.unschedule(job_name text) returns boolean language sql as $$
  select cron._unschedule(current_user::text, null, $1)
$$;

grant usage on schema cron to postgres with grant option;
grant all on all functions in schema cron to postgres with grant option;
grant all on all tables in schema cron to postgres with grant option;
revoke all on table cron.job from postgres;
grant select on table cron.job to postgres with grant option;
grant select on cron.job, cron.job_run_details to public;
alter default privileges for role supabase_admin in schema cron grant all on sequences to postgres with grant option;
alter default privileges for role supabase_admin in schema cron grant all on tables to postgres with grant option;
alter default privileges for role supabase_admin in schema cron grant all on functions to postgres with grant option;
