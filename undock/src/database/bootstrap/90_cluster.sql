-- What the nodes of `undock serve` share. A backend on one machine leaves these empty.
set session authorization supabase_admin;

-- Limits on requests and attempts. They may be lost with a crash, as limits in memory are with their process.
create unlogged table _undock.buckets (
  name text,
  id text,
  tokens double precision not null,
  at timestamptz not null,
  primary key (name, id)
);
create index buckets_at on _undock.buckets (at);

-- Those that are never refilled: a proof or a code that is used up stays so, after a crash and on a replica that takes over.
create table _undock.kept_buckets (like _undock.buckets including all);

-- The time at which each of pg_cron's jobs was last due: the node that writes it runs the job.
create table _undock.job_claims (
  job text primary key,
  due timestamptz not null
);

-- What all nodes must have in common.
create table _undock.cluster (
  is_only boolean primary key default true check (is_only),
  storage text not null
);
reset session authorization;
