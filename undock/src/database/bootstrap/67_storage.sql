-- Resumable uploads (TUS) under way. Only the service reads these rows: an upload's metadata and owner concern nobody else.
create table if not exists _undock.uploads (
  id uuid primary key,
  -- Bytes; null until the client says.
  size bigint,
  -- Values may hold any character, which jsonb refuses.
  metadata json not null,
  owner_id text,
  upsert boolean not null,
  created_at timestamptz not null,
  -- Whether the object's row is there.
  is_committed boolean not null default false,
  -- The one request that may write, until when, and whether another one waits for it.
  holder uuid,
  held_until timestamptz,
  is_wanted boolean not null default false,
  -- For files on S3: the store's multipart upload, the bytes that are safe, and those at the end that are too few for a part.
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

-- The S3 store of the files, from the first start on one: its id stands in the bucket, too, so that no other database's repair takes these
-- files for orphans; and when it is to be repaired next. The store knows the number of its repairs as well: a database that knows of fewer
-- is an older one, restored or copied, and has no rows of what was stored since.
create table if not exists _undock.file_store (
  is_the_one boolean primary key default true check (is_the_one),
  id uuid not null,
  repair_due timestamptz not null default now()
);
alter table _undock.file_store add column if not exists repairs bigint not null default 0;
