set session authorization supabase_admin;

-- Rate limits, which a crash may lose.
create unlogged table _undock.buckets (
  name text,
  id text,
  tokens double precision not null,
  at timestamptz not null,
  primary key (name, id)
);
create index buckets_at on _undock.buckets (at);

-- Never refilled: a used proof or code stays used after a crash and on a replica that takes over.
create table _undock.kept_buckets (like _undock.buckets including all);

-- When each pg_cron job was last due: the node that writes the time runs the job.
create table _undock.job_claims (
  job text primary key,
  due timestamptz not null
);

create table _undock.cluster (
  is_only boolean primary key default true check (is_only),
  storage text not null
);
reset session authorization;
