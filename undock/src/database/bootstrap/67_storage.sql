-- Resumable uploads (TUS) in progress. Only the service reads these rows.
create table if not exists _undock.uploads (
  id uuid primary key,
  -- Bytes; null until the client sends it.
  size bigint,
  -- json, because values may hold characters that jsonb rejects.
  metadata json not null,
  owner_id text,
  upsert boolean not null,
  created_at timestamptz not null,
  is_committed boolean not null default false,
  -- The request that may write, until when, and whether another one is waiting.
  holder uuid,
  held_until timestamptz,
  is_wanted boolean not null default false,
  -- On S3: the store's multipart upload, the bytes stored safely, and those at the end that are too few for a part.
  store_upload text,
  received bigint not null default 0,
  next_part integer not null default 1,
  tail uuid,
  tail_size bigint not null default 0
);
create index if not exists uploads_created_at on _undock.uploads (created_at);

create table if not exists _undock.upload_parts (
  upload_id uuid references _undock.uploads (id) on delete cascade,
  number integer,
  size bigint not null,
  etag text not null,
  primary key (upload_id, number)
);

-- The S3 store of the files, from the first start on one. Its id is also in the bucket, so that no other database's
-- repair takes these files for orphans. The store counts its repairs too: a database with a lower count is an older
-- one, restored or copied, and lacks the rows of what was stored since.
create table if not exists _undock.file_store (
  is_the_one boolean primary key default true check (is_the_one),
  id uuid not null,
  repair_due timestamptz not null default now()
);
alter table _undock.file_store add column if not exists repairs bigint not null default 0;
