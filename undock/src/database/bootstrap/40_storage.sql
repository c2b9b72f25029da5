-- The schema `storage` as storage-api's migrations leave it. Contents are in files whose names only the service knows.

create schema if not exists storage;
alter schema storage owner to supabase_admin;
grant usage on schema storage to anon, authenticated, service_role;
grant all on schema storage to supabase_storage_admin, postgres;
alter role supabase_storage_admin set search_path = 'storage';

set role supabase_storage_admin;

create type storage.buckettype as enum ('STANDARD', 'ANALYTICS', 'VECTOR');

-- storage-api's record of applied migrations. Empty, because this file contains their result.
create table storage.migrations (
  id integer primary key,
  name varchar(100) unique not null,
  hash varchar(40) not null,
  executed_at timestamp default current_timestamp
);

-- Column order matters: seeds insert into buckets and objects by position.
create table storage.buckets (
  id text primary key,
  name text not null,
  owner uuid,
  created_at timestamptz default now(),
  updated_at timestamptz default now(),
  public boolean default false,
  avif_autodetection boolean default false,
  file_size_limit bigint,
  allowed_mime_types text[],
  owner_id text,
  type storage.buckettype not null default 'STANDARD',
  versioning_status text not null default 'DISABLED',
  constraint buckets_versioning_status_check check (versioning_status in ('DISABLED', 'ENABLED', 'SUSPENDED')),
  constraint buckets_versioning_standard_only_check check (type = 'STANDARD' or versioning_status = 'DISABLED'),
  constraint buckets_versioning_dark_check check (versioning_status = 'DISABLED')
);
-- Versioning and lifecycle aren't implemented, but dumps of hosted projects contain these columns.
alter table storage.buckets
  add column if not exists lifecycle_configuration jsonb,
  add column if not exists lifecycle_configuration_generation uuid;
alter table storage.buckets add constraint buckets_lifecycle_configuration_pair_check
  check ((lifecycle_configuration is null) = (lifecycle_configuration_generation is null));
alter table storage.buckets add constraint buckets_lifecycle_configuration_shape_check check (
  lifecycle_configuration is null
  or (
    jsonb_typeof(lifecycle_configuration) = 'object'
    and case when jsonb_typeof(lifecycle_configuration -> 'rules') = 'array'
      then jsonb_array_length(lifecycle_configuration -> 'rules') between 1 and 1000 else false end
  )
);
alter table storage.buckets add constraint buckets_lifecycle_configuration_standard_only_check
  check (type = 'STANDARD' or (lifecycle_configuration is null and lifecycle_configuration_generation is null));
create unique index bname on storage.buckets (name);
comment on column storage.buckets.owner is 'Field is deprecated, use owner_id instead';

create table storage.objects (
  id uuid primary key default gen_random_uuid(),
  bucket_id text constraint "objects_bucketId_fkey" references storage.buckets (id),
  name text,
  owner uuid,
  created_at timestamptz default now(),
  updated_at timestamptz default now(),
  last_accessed_at timestamptz default now(),
  metadata jsonb,
  path_tokens text[] generated always as (string_to_array(name, '/')) stored,
  version text,
  owner_id text,
  user_metadata jsonb,
  archived_at timestamptz,
  is_delete_marker boolean not null default false,
  is_versioned boolean not null default false
);
create unique index bucketid_objname on storage.objects (bucket_id, name);
create index name_prefix_search on storage.objects (name text_pattern_ops);
create index idx_objects_bucket_id_name on storage.objects (bucket_id, (name collate "C"));
create index idx_objects_bucket_id_name_lower on storage.objects (bucket_id, (lower(name) collate "C"));
comment on column storage.objects.owner is 'Field is deprecated, use owner_id instead';

create table storage.s3_multipart_uploads (
  id text primary key,
  in_progress_size bigint not null default 0,
  upload_signature text not null,
  bucket_id text not null references storage.buckets (id),
  key text collate "C" not null,
  version text not null,
  owner_id text,
  created_at timestamptz not null default now(),
  user_metadata jsonb,
  metadata jsonb
);
create index idx_multipart_uploads_list on storage.s3_multipart_uploads (bucket_id, key, created_at);

create table storage.s3_multipart_uploads_parts (
  id uuid primary key default gen_random_uuid(),
  upload_id text not null references storage.s3_multipart_uploads (id) on delete cascade,
  size bigint not null default 0,
  part_number integer not null,
  bucket_id text not null references storage.buckets (id),
  key text collate "C" not null,
  etag text not null,
  owner_id text,
  version text not null,
  created_at timestamptz not null default now()
);

create table storage.buckets_analytics (
  name text not null,
  type storage.buckettype not null default 'ANALYTICS',
  format text not null default 'ICEBERG',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  id uuid primary key default gen_random_uuid(),
  deleted_at timestamptz
);
create unique index buckets_analytics_unique_name_idx on storage.buckets_analytics (name) where deleted_at is null;

create table storage.buckets_vectors (
  id text primary key,
  type storage.buckettype not null default 'VECTOR',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create table storage.vector_indexes (
  id text primary key default gen_random_uuid(),
  name text collate "C" not null,
  bucket_id text not null references storage.buckets_vectors (id),
  data_type text not null,
  dimension integer not null,
  distance_metric text not null,
  metadata_configuration jsonb,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create unique index vector_indexes_name_bucket_id_idx on storage.vector_indexes (name, bucket_id);

-- No policies: a project writes its own, and until then only service_role sees rows.
alter table storage.migrations enable row level security;
alter table storage.buckets enable row level security;
alter table storage.objects enable row level security;
alter table storage.s3_multipart_uploads enable row level security;
alter table storage.s3_multipart_uploads_parts enable row level security;
alter table storage.buckets_analytics enable row level security;
alter table storage.buckets_vectors enable row level security;
alter table storage.vector_indexes enable row level security;

grant all on storage.buckets, storage.objects to postgres with grant option;
grant all on storage.buckets, storage.objects, storage.buckets_analytics to anon, authenticated, service_role;
grant all on storage.s3_multipart_uploads, storage.s3_multipart_uploads_parts to service_role;
grant select on storage.s3_multipart_uploads, storage.s3_multipart_uploads_parts to anon, authenticated;
grant select on storage.buckets_vectors, storage.vector_indexes to anon, authenticated, service_role;
grant all on all tables in schema storage to postgres;

-- Helpers for policies: the key `a/b/c.txt` has the folders {a,b}, the file name c.txt and the extension txt.

create or replace function storage.foldername(name text) returns text[] language plpgsql immutable as $$
declare
  segments text[] := string_to_array(name, '/');
begin
  return segments[1 : array_length(segments, 1) - 1];
end
$$;

create or replace function storage.filename(name text) returns text language plpgsql immutable as $$
declare
  segments text[] := string_to_array(name, '/');
begin
  return segments[array_length(segments, 1)];
end
$$;

-- As upstream, a name without a dot counts as its own extension.
create or replace function storage.extension(name text) returns text language plpgsql immutable as $$
declare
  segments text[] := string_to_array(name, '/');
begin
  return split_part(segments[array_length(segments, 1)], '.', -1);
end
$$;

create or replace function storage.operation() returns text language plpgsql stable as $$
begin
  return current_setting('storage.operation', true);
end
$$;

-- Both functions accept operations with or without the prefix `storage.`.
create or replace function storage.allow_any_operation(expected_operations text[]) returns boolean language sql stable as $$
  select exists (
    select from unnest(expected_operations) as expected
    where expected <> ''
      and regexp_replace(expected, '^storage\.', '') = regexp_replace(storage.operation(), '^storage\.', '')
  )
$$;

create or replace function storage.allow_only_operation(expected_operation text) returns boolean language sql stable as $$
  select storage.allow_any_operation(array[expected_operation])
$$;

create or replace function storage.get_size_by_bucket() returns table (size bigint, bucket_id text) language plpgsql stable as $$
begin
  return query
    select sum((o.metadata ->> 'size')::bigint)::bigint, o.bucket_id from storage.objects o group by o.bucket_id;
end
$$;

-- Tries an insert as the caller and rolls it back: PT200 means that it would be allowed.
create or replace function storage.can_insert_object(bucketid text, name text, owner uuid, metadata jsonb) returns void
language plpgsql as $$
begin
  insert into storage.objects (bucket_id, name, owner, metadata) values (bucketid, name, owner, metadata);
  raise sqlstate 'PT200' using message = 'ROLLBACK', detail = 'rollback successful insert';
end
$$;

create or replace function storage.update_updated_at_column() returns trigger language plpgsql as $$
begin
  new.updated_at = now();
  return new;
end
$$;
create or replace trigger update_objects_updated_at before update on storage.objects
  for each row execute function storage.update_updated_at_column();

create or replace function storage.enforce_bucket_name_length() returns trigger language plpgsql as $$
begin
  if length(new.name) > 100 then
    raise exception 'bucket name "%" is too long (% characters). Max is 100.', new.name, length(new.name);
  end if;
  return new;
end
$$;
create or replace trigger enforce_bucket_name_length_trigger before insert or update of name on storage.buckets
  for each row execute function storage.enforce_bucket_name_length();

-- Deleting a row directly would orphan its file; the service sets storage.allow_delete_query for its own deletes.
create or replace function storage.protect_delete() returns trigger language plpgsql as $$
begin
  if coalesce(current_setting('storage.allow_delete_query', true), 'false') <> 'true' then
    raise exception 'Direct deletion from storage tables is not allowed. Use the Storage API instead.'
      using hint = 'This prevents accidental data loss from orphaned objects.', errcode = '42501';
  end if;
  return null;
end
$$;
create or replace trigger protect_buckets_delete before delete on storage.buckets
  for each statement execute function storage.protect_delete();
create or replace trigger protect_objects_delete before delete on storage.objects
  for each statement execute function storage.protect_delete();

-- The part of a key up to the first delimiter after the prefix ('a/b/c', 'a/', '/' gives 'a/b/'); null for a leaf.
create or replace function storage.get_common_prefix(p_key text, p_prefix text, p_delimiter text) returns text
language sql immutable as $$
  select case when position(p_delimiter in substring(p_key from length(p_prefix) + 1)) > 0
    then left(p_key, length(p_prefix) + length(p_delimiter) - 1
      + position(p_delimiter in substring(p_key from length(p_prefix) + 1))) end
$$;

-- Listings read keys in byte order and skip the rest of a folder once they know its name, so a page costs as many index
-- probes as it has entries, however large the folders. chr(1114111), the last code point, sorts after every key with
-- the same prefix; chr(1), the first, directly after the key itself.

-- One level of a bucket: folders (no trailing delimiter, null id) and objects. The cursor is the page before's last
-- key.
create or replace function storage.list_objects_with_delimiter(
  _bucket_id text, prefix_param text, delimiter_param text, max_keys integer default 100,
  start_after text default '', next_token text default '', sort_order text default 'asc'
) returns table (
  name text, id uuid, metadata jsonb, updated_at timestamptz, created_at timestamptz, last_accessed_at timestamptz
) language plpgsql stable as $$
declare
  ascending boolean := lower(coalesce(sort_order, 'asc')) = 'asc';
  within text := coalesce(prefix_param, '');
  after text := coalesce(nullif(next_token, ''), start_after, '');
  seek text;
  found_rows integer;
  given integer := 0;
  item record;
  folder text;
begin
  if after = '' then
    seek := case when ascending then within else within || chr(1114111) end;
  elsif exists (
    select from storage.objects o
    where o.bucket_id = _bucket_id and starts_with(o.name, after || delimiter_param)
      and o.name collate "C" >= after || delimiter_param
      and o.name collate "C" < after || delimiter_param || chr(1114111)
  ) then
    seek := case when ascending then after || delimiter_param || chr(1114111) else after || delimiter_param end;
  else
    seek := case when ascending then after || chr(1) else after end;
  end if;
  -- A cursor from another folder must not extend the listing beyond this one.
  if ascending and seek collate "C" < within then
    seek := within;
  elsif not ascending and seek collate "C" > within || chr(1114111) then
    seek := within || chr(1114111);
  end if;

  while given < max_keys loop
    found_rows := 0;
    folder := null;
    for item in
      (select o.name, o.id, o.metadata, o.updated_at, o.created_at, o.last_accessed_at from storage.objects o
       where ascending and o.bucket_id = _bucket_id and o.name collate "C" >= seek
       order by o.name collate "C" limit 100)
      union all
      (select o.name, o.id, o.metadata, o.updated_at, o.created_at, o.last_accessed_at from storage.objects o
       where not ascending and o.bucket_id = _bucket_id and o.name collate "C" < seek
       order by o.name collate "C" desc limit 100)
    loop
      if not starts_with(item.name, within) then
        return;
      end if;
      found_rows := found_rows + 1;
      folder := storage.get_common_prefix(item.name, within, delimiter_param);
      if folder is null then
        name := item.name;
        id := item.id;
        metadata := item.metadata;
        updated_at := item.updated_at;
        created_at := item.created_at;
        last_accessed_at := item.last_accessed_at;
        seek := case when ascending then item.name || chr(1) else item.name end;
      else
        name := left(folder, -length(delimiter_param));
        id := null;
        metadata := null;
        updated_at := null;
        created_at := null;
        last_accessed_at := null;
        seek := case when ascending then folder || chr(1114111) else folder end;
      end if;
      return next;
      given := given + 1;
      exit when folder is not null or given >= max_keys;
    end loop;
    exit when found_rows = 0;
  end loop;
end
$$;

-- Serves POST /object/list: names relative to the prefix (case-insensitive), by offset. `levels` is unused.
create or replace function storage.search(
  prefix text, bucketname text, limits integer default 100, levels integer default 1, offsets integer default 0,
  search text default '', sortcolumn text default 'name', sortorder text default 'asc'
) returns table (
  name text, id uuid, updated_at timestamptz, created_at timestamptz, last_accessed_at timestamptz, metadata jsonb
) language plpgsql stable as $$
declare
  ascending boolean := lower(coalesce(sortorder, 'asc')) = 'asc';
  direction text := case when lower(coalesce(sortorder, 'asc')) = 'asc' then 'asc' else 'desc' end;
  page integer := least(coalesce(limits, 100), 1500);
  within text := coalesce(prefix, '') || coalesce(search, '');
  within_lower text := lower(coalesce(prefix, '') || coalesce(search, ''));
  shown_from integer := length(coalesce(prefix, '')) + 1;
  first_level integer := coalesce(array_length(string_to_array(coalesce(prefix, ''), '/'), 1), 1);
  last_level integer := coalesce(array_length(string_to_array(coalesce(prefix, '') || coalesce(search, ''), '/'), 1), 1);
  seek text;
  found_rows integer;
  given integer := 0;
  skipped integer := 0;
  item record;
  folder text;
begin
  if lower(coalesce(sortcolumn, 'name')) in ('updated_at', 'created_at', 'last_accessed_at') then
    return query execute format(
      $query$
        (select array_to_string(o.path_tokens[$1:$2], '/'), null::uuid, null::timestamptz, null::timestamptz,
           null::timestamptz, null::jsonb
         from storage.objects o
         where o.bucket_id = $4 and starts_with(lower(o.name), $3) and array_length(o.path_tokens, 1) <> $2
         group by 1 order by 1 %1$s)
        union all
        (select array_to_string(o.path_tokens[$1:$2], '/'), o.id, o.updated_at, o.created_at, o.last_accessed_at, o.metadata
         from storage.objects o
         where o.bucket_id = $4 and starts_with(lower(o.name), $3) and array_length(o.path_tokens, 1) = $2
         order by o.%2$I %1$s)
        limit $5 offset $6
      $query$, direction, lower(sortcolumn)
    ) using first_level, last_level, within_lower, bucketname, page, coalesce(offsets, 0);
    return;
  end if;

  seek := case when ascending then within_lower else within_lower || chr(1114111) end;
  while given < page loop
    found_rows := 0;
    for item in
      (select o.name, o.id, o.updated_at, o.created_at, o.last_accessed_at, o.metadata from storage.objects o
       where ascending and o.bucket_id = bucketname and lower(o.name) collate "C" >= seek
       order by lower(o.name) collate "C" limit 100)
      union all
      (select o.name, o.id, o.updated_at, o.created_at, o.last_accessed_at, o.metadata from storage.objects o
       where not ascending and o.bucket_id = bucketname and lower(o.name) collate "C" < seek
       order by lower(o.name) collate "C" desc limit 100)
    loop
      if not starts_with(lower(item.name), within_lower) then
        return;
      end if;
      found_rows := found_rows + 1;
      folder := storage.get_common_prefix(item.name, within, '/');
      seek := case
        when folder is not null and ascending then lower(folder) || chr(1114111)
        when folder is not null then lower(folder)
        when ascending then lower(item.name) || chr(1)
        else lower(item.name)
      end;
      if skipped < coalesce(offsets, 0) then
        skipped := skipped + 1;
      else
        name := substring(rtrim(coalesce(folder, item.name), case when folder is null then '' else '/' end) from shown_from);
        id := case when folder is null then item.id end;
        updated_at := case when folder is null then item.updated_at end;
        created_at := case when folder is null then item.created_at end;
        last_accessed_at := case when folder is null then item.last_accessed_at end;
        metadata := case when folder is null then item.metadata end;
        return next;
        given := given + 1;
      end if;
      exit when folder is not null or given >= page;
    end loop;
    exit when found_rows = 0;
  end loop;
end
$$;

-- One level ordered by time; a folder counts as old as its oldest object. The cursor is a time and a key.
create or replace function storage.search_by_timestamp(
  p_prefix text, p_bucket_id text, p_limit integer, p_level integer, p_start_after text,
  p_sort_order text, p_sort_column text, p_sort_column_after text
) returns table (
  key text, name text, id uuid, updated_at timestamptz, created_at timestamptz, last_accessed_at timestamptz, metadata jsonb
) language plpgsql stable as $$
declare
  direction text := case when lower(p_sort_order) = 'desc' then 'desc' else 'asc' end;
  comparison text := case when lower(p_sort_order) = 'desc' then '<' else '>' end;
begin
  return query execute format(
    $query$
      with leaves as (
        select o.*, storage.get_common_prefix(o.name, $1, '/') as folder
        from storage.objects o
        where o.bucket_id = $2 and starts_with(o.name, $1)
      ), entries as (
        select rtrim(l.folder, '/') as name, null::uuid as id, min(l.created_at) as updated_at,
          min(l.created_at) as created_at, null::timestamptz as last_accessed_at, null::jsonb as metadata
        from leaves l where l.folder is not null group by l.folder
        union all
        select l.name, l.id, l.updated_at, l.created_at, l.last_accessed_at, l.metadata
        from leaves l where l.folder is null
      )
      select split_part(e.name, '/', $3), e.name, e.id, e.updated_at, e.created_at, e.last_accessed_at, e.metadata
      from entries e
      where $5 = '' or (date_trunc('milliseconds', e.%1$I), e.name collate "C") %2$s
        (coalesce(nullif($6, '')::timestamptz, 'epoch'::timestamptz), $5)
      order by coalesce(date_trunc('milliseconds', e.%1$I), 'epoch'::timestamptz) %3$s, e.name collate "C" %3$s
      limit $4
    $query$, p_sort_column, comparison, direction
  ) using coalesce(p_prefix, ''), p_bucket_id, p_level, p_limit, coalesce(p_start_after, ''), p_sort_column_after;
end
$$;

create or replace function storage.search_v2(
  prefix text, bucket_name text, limits integer default 100, levels integer default 1, start_after text default '',
  sort_order text default 'asc', sort_column text default 'name', sort_column_after text default ''
) returns table (
  key text, name text, id uuid, updated_at timestamptz, created_at timestamptz, last_accessed_at timestamptz, metadata jsonb
) language plpgsql stable as $$
declare
  page integer := least(coalesce(limits, 100), 1500);
begin
  if lower(sort_column) in ('updated_at', 'created_at') then
    return query select * from storage.search_by_timestamp(
      prefix, bucket_name, page, levels, start_after, coalesce(sort_order, 'asc'), lower(sort_column), sort_column_after);
  else
    return query
      select split_part(l.name, '/', levels), l.name, l.id, l.updated_at, l.created_at, l.last_accessed_at, l.metadata
      from storage.list_objects_with_delimiter(bucket_name, prefix, '/', page, start_after, '', sort_order) l;
  end if;
end
$$;

-- Multipart uploads in progress, one level of keys; uploads of the same key continue from `next_upload_token`.
create or replace function storage.list_multipart_uploads_with_delimiter(
  bucket_id text, prefix_param text, delimiter_param text, max_keys integer default 100,
  next_key_token text default '', next_upload_token text default ''
) returns table (key text, id text, created_at timestamptz) language plpgsql as $$
#variable_conflict use_column
declare
  wanted_bucket alias for $1;
begin
  return query
    select distinct on (listed.key collate "C") listed.key, listed.id, listed.created_at
    from (
      select coalesce(storage.get_common_prefix(u.key, prefix_param, delimiter_param), u.key) as key, u.id, u.created_at
      from storage.s3_multipart_uploads u
      where u.bucket_id = wanted_bucket and starts_with(lower(u.key), lower(prefix_param))
        and (next_upload_token = '' or u.id collate "C" > next_upload_token)
    ) listed
    where next_key_token = '' or next_upload_token <> '' or listed.key collate "C" > next_key_token
    order by listed.key collate "C", listed.created_at
    limit max_keys;
end
$$;

grant execute on all functions in schema storage to postgres, anon, authenticated, service_role;

reset role;
