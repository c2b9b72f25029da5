import { keyword, type Sql, sql } from '../../kernel/sql.ts'

export type UploadRow = {
  id: string
  bucket_id: string
  key: string
  version: string
  owner_id: string | null
  user_metadata: Record<string, unknown> | null
  metadata: { mimetype?: string; cacheControl?: string } | null
}

export type PartRow = { id: string; part_number: number; etag: string; size: string; created_at: Date }

export type NewUpload = Omit<UploadRow, 'metadata'> & { readonly metadata: Record<string, unknown> }

/** Upstream signs the progress because users might write these rows; here they can't. */
export const insertUpload = (upload: NewUpload): Sql => sql`
  insert into storage.s3_multipart_uploads
    (id, upload_signature, bucket_id, key, version, owner_id, user_metadata, metadata)
  values (${upload.id}, '', ${upload.bucket_id}, ${upload.key}, ${upload.version}, ${upload.owner_id},
    ${upload.user_metadata}, ${upload.metadata})`

export const findUpload = (id: string): Sql => sql`
  select id, bucket_id, key, version, owner_id, user_metadata, metadata from storage.s3_multipart_uploads where id = ${id}`

export const deleteUpload = (id: string): Sql => sql`delete from storage.s3_multipart_uploads where id = ${id}`

export const deleteUploadsBefore = (time: Date): Sql =>
  sql`delete from storage.s3_multipart_uploads where created_at < ${time} returning id, bucket_id, version`

/** Parallel parts wait here for each other, so that together they respect the limit. */
export const lockUpload = (id: string): Sql =>
  sql`select id from storage.s3_multipart_uploads where id = ${id} for update`

const othersOf = (id: string, number: number): Sql => sql`
  (select coalesce(sum(size), 0) from storage.s3_multipart_uploads_parts
   where upload_id = ${id} and part_number <> ${number}::int)`

/** Returns whether a part fits in addition to the others. */
export const hasRoom = (id: string, { number, size }: { number: number; size: number }, limit: number): Sql =>
  sql`select ${othersOf(id, number)} + ${size}::bigint <= ${limit}::bigint as has_room`

export type NewPart = {
  readonly id: string
  readonly upload: UploadRow
  readonly number: number
  readonly size: number
  readonly etag: string
  readonly owner: string | null
}

/** Replaces an earlier part of the same number and returns it as `replaced`; no row if it doesn't fit. */
export const storePart = ({ id, upload, number, size, etag, owner }: NewPart, limit: number): Sql => sql`
  with room as (
    update storage.s3_multipart_uploads set in_progress_size = ${othersOf(upload.id, number)} + ${size}::bigint
    where id = ${upload.id} and ${othersOf(upload.id, number)} + ${size}::bigint <= ${limit}::bigint
    returning id
  ), gone as (
    delete from storage.s3_multipart_uploads_parts p using room
    where p.upload_id = room.id and p.part_number = ${number}::int returning p.id
  )
  insert into storage.s3_multipart_uploads_parts
    (id, upload_id, size, part_number, bucket_id, key, etag, owner_id, version)
  select ${id}, room.id, ${size}, ${number}, ${upload.bucket_id}, ${upload.key}, ${etag}, ${owner}, ${upload.version}
  from room
  returning created_at, array(select id from gone) as replaced`

export const listParts = (uploadId: string, after: number, limit: number): Sql => sql`
  select id, part_number, etag, size, created_at from storage.s3_multipart_uploads_parts
  where upload_id = ${uploadId} and part_number > ${after}::int order by part_number limit ${limit}::int`

export const allParts: Sql = keyword('select id, upload_id from storage.s3_multipart_uploads_parts')

export const deleteParts = (ids: readonly string[]): Sql =>
  sql`delete from storage.s3_multipart_uploads_parts where id = any(${ids}::uuid[])`

export type UploadPage = {
  readonly bucket: string
  readonly prefix: string
  readonly delimiter: string
  readonly afterKey: string
  readonly afterId: string
  readonly limit: number
}

/** Lists uploads in progress by key; with a delimiter, a folder's become one row without an id. */
export const listUploads = ({ bucket, prefix, delimiter, afterKey, afterId, limit }: UploadPage): Sql => sql`
  select * from (
    select coalesce(u.folder, u.key) as key, case when u.folder is null then u.id end as id, min(u.created_at) as created_at
    from (
      select m.*, storage.get_common_prefix(m.key, ${prefix}, nullif(${delimiter}, '')) collate "C" as folder
      from storage.s3_multipart_uploads m
      where m.bucket_id = ${bucket} and starts_with(m.key, ${prefix})
    ) u
    group by 1, 2
  ) listed
  where ${afterKey} = '' or key > ${afterKey} or (key = ${afterKey} and id collate "C" > nullif(${afterId}, ''))
  order by key, id limit ${limit}::int`
