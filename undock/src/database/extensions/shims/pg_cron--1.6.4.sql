-- pg_cron's tables and functions. Changes to jobs notify undock, which runs the jobs at their times in GMT.
-- Facts: citusdata/pg_cron, pg_cron.sql and src/job_metadata.c; grants as in supabase/postgres.

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

-- Upstream's trigger function, which some scripts drop or mention.
create function cron.job_cache_invalidate() returns trigger language plpgsql as $$ begin return null; end $$;

create function cron._field_value(value text, lowest integer, names text[]) returns integer language sql immutable set search_path = '' as $$
  select coalesce(array_position(names, value) - 1 + lowest, case when value ~ '^[0-9]{1,9}$' then value::integer else -1 end)
$$;

-- Ranges as in upstream's src/entry.c.
create function cron._is_field(field text, place integer) returns boolean language plpgsql immutable set search_path = '' as $$
declare
  lowest constant integer := ('{0,0,1,1,0}'::integer[])[place];
  highest constant integer := ('{59,23,31,12,7}'::integer[])[place];
  names constant text[] := case place
    when 4 then '{jan,feb,mar,apr,may,jun,jul,aug,sep,oct,nov,dec}'
    when 5 then '{sun,mon,tue,wed,thu,fri,sat}'
  end;
  part text;
  found text[];
begin
  if place = 3 and field = '$' then return true; end if;
  foreach part in array string_to_array(field, ',') loop
    found := regexp_match(part, '^(?:\*|([a-z0-9]+)(-([a-z0-9]+))?)(?:/([0-9]{1,9}))?$');
    if found is null
      or part !~ '^\*' and cron._field_value(found[1], lowest, names) not between lowest and highest
      or found[3] is not null and cron._field_value(found[3], lowest, names)
        not between cron._field_value(found[1], lowest, names) and highest
      or found[4] is not null and (part !~ '^\*|-' or found[4]::integer not between 1 and highest)
    then return false; end if;
  end loop;
  return true;
end
$$;

create function cron._check_schedule(schedule text) returns void language plpgsql immutable set search_path = '' as $$
declare
  fields constant text[] := regexp_split_to_array(btrim(lower(schedule), E' \t\n'), '\s+');
begin
  if schedule ~* '^\s*([1-9]|[1-5][0-9])\s+seconds?\s*$' then return; end if;
  if schedule ~* '^\s*@(yearly|annually|monthly|weekly|daily|midnight|hourly|reboot|restart)\s*$' then return; end if;
  if cardinality(fields) = 5 and (select bool_and(cron._is_field(field, place::integer))
    from unnest(fields) with ordinality as given (field, place)) then return; end if;
  raise exception 'invalid schedule: %', schedule using
    errcode = '22023',
    hint = 'Use cron format (e.g. 5 4 * * *), or interval format ''[1-59] seconds''';
end
$$;

-- A trigger checks the job's role on every write, because postgres bypasses row security.
create function cron._check_job() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if tg_op <> 'DELETE' then
    if not exists (select from pg_roles where rolname = new.username) then
      raise exception 'role "%" does not exist', new.username using errcode = '42704';
    end if;
    perform cron._check_schedule(new.schedule);
  end if;
  if tg_op <> 'INSERT' and not pg_has_role(current_user, old.username, 'member') then
    raise exception 'Job % does not exist or you don''t own it', old.jobid using errcode = '42704';
  end if;
  if tg_op <> 'DELETE' and not pg_has_role(current_user, new.username, 'member') then
    raise exception 'permission denied to create a job for role "%"', new.username using errcode = '42501';
  end if;
  return coalesce(new, old);
end
$$;
create trigger check_job before insert or update or delete on cron.job for each row execute function cron._check_job();
-- As upstream, only the functions may write the table. Security doesn't depend on this check.
create function cron._check_caller() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if coalesce(current_setting('cron.is_called', true), '') <> 'on' then
    raise exception 'permission denied for table job' using errcode = '42501';
  end if;
  return null;
end
$$;
create trigger check_caller before insert or update or delete on cron.job
  for each statement execute function cron._check_caller();
-- Fires even if postgres sets session_replication_role to replica.
alter table cron.job enable always trigger check_job;

create function cron._schedule(
  job_name text, schedule text, command text, database text, username text, active boolean
) returns bigint language sql set search_path = pg_catalog, pg_temp set cron.is_called = on as $$
  insert into cron.job (schedule, command, database, username, active, jobname)
  values ($2, $3, $4, $5, $6, $1)
  on conflict on constraint jobname_username_uniq do update
    set schedule = excluded.schedule, command = excluded.command, database = excluded.database, active = excluded.active
  returning jobid
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

create function cron.alter_job(
  job_id bigint,
  schedule text default null,
  command text default null,
  database text default null,
  username text default null,
  active boolean default null
) returns void language plpgsql set search_path = pg_catalog, pg_temp set cron.is_called = on as $$
begin
  update cron.job j set
    schedule = coalesce($2, j.schedule),
    command = coalesce($3, j.command),
    database = coalesce($4, j.database),
    username = coalesce($5, j.username),
    active = coalesce($6, j.active)
  where j.jobid = $1;
  if not found then raise exception 'Job % does not exist or you don''t own it', job_id using errcode = '42704'; end if;
end
$$;

create function cron.unschedule(job_id bigint) returns boolean language plpgsql set search_path = pg_catalog, pg_temp set cron.is_called = on as $$
begin
  delete from cron.job j where j.jobid = job_id;
  if not found then raise exception 'could not find valid entry for job %', job_id; end if;
  return true;
end
$$;

create function cron.unschedule(job_name text) returns boolean language plpgsql set search_path = pg_catalog, pg_temp set cron.is_called = on as $$
begin
  delete from cron.job j where j.jobname = job_name and j.username = current_user;
  if not found then raise exception 'could not find valid entry for job ''%''', job_name; end if;
  return true;
end
$$;

grant usage on schema cron to postgres with grant option;
grant all on all functions in schema cron to postgres with grant option;
grant all on all tables in schema cron to postgres with grant option;
revoke all on table cron.job from postgres;
grant select on table cron.job to postgres with grant option;
grant select on cron.job, cron.job_run_details to public;
-- Row security and the trigger decide per job. No TRUNCATE: neither applies to it.
grant insert, update, delete on cron.job to public;
grant usage on sequence cron.jobid_seq to public;
grant usage on sequence cron.runid_seq to postgres;
alter default privileges for role supabase_admin in schema cron grant all on sequences to postgres with grant option;
alter default privileges for role supabase_admin in schema cron grant all on tables to postgres with grant option;
alter default privileges for role supabase_admin in schema cron grant all on functions to postgres with grant option;

-- Ignores the requested schema, as supautils does on hosted projects (extensions_parameter_overrides).
do $$
declare
  id constant oid := (select oid from pg_catalog.pg_extension where extname = 'pg_cron');
begin
  if id is null then return; end if;
  update pg_catalog.pg_extension set extnamespace = 'pg_catalog'::regnamespace where oid = id;
  delete from pg_catalog.pg_depend
    where classid = 'pg_extension'::regclass and objid = id and refclassid = 'pg_namespace'::regclass;
end
$$;
