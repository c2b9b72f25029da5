import { identifier, keyword, type Sql, sql } from '../../kernel/sql.ts'
import { ownerUuid } from '../objects/rows.ts'

export type BucketRow = {
  id: string
  name: string
  owner: string | null
  public: boolean | null
  type: string
  /** Bytes; int8 comes as text. */
  file_size_limit: string | null
  allowed_mime_types: string[] | null
  created_at: Date
  updated_at: Date
}

export type NewBucket = {
  readonly id: string
  readonly name: string
  readonly public: boolean
  readonly owner: string | null
  readonly fileSizeLimit: number | null
  readonly allowedMimeTypes: readonly string[] | null
}

export type BucketChanges = {
  readonly public?: boolean | undefined
  readonly fileSizeLimit?: number | null | undefined
  readonly allowedMimeTypes?: readonly string[] | null | undefined
}

export type BucketPage = {
  readonly limit?: number | undefined
  readonly offset?: number | undefined
  readonly sortColumn?: 'id' | 'name' | 'created_at' | 'updated_at' | undefined
  readonly sortOrder?: 'asc' | 'desc' | undefined
  readonly search?: string | undefined
}

const COLUMNS = keyword(
  'id, name, owner, public, type::text as type, file_size_limit, allowed_mime_types, created_at, updated_at',
)

export const findBucket = (id: string): Sql => sql`select ${COLUMNS} from storage.buckets where id = ${id}`

export function listBuckets({ limit, offset, sortColumn, sortOrder, search }: BucketPage): Sql {
  const order = sortColumn
    ? sql`order by ${identifier(sortColumn)} ${keyword(sortOrder === 'desc' ? 'desc' : 'asc')}`
    : sql``
  return sql`select ${COLUMNS} from storage.buckets
    where ${search || null}::text is null or position(lower(${search ?? ''}) in lower(name)) > 0
    ${order} limit ${limit ?? null}::bigint offset ${offset ?? 0}::bigint`
}

export const insertBucket = (bucket: NewBucket): Sql => sql`
  insert into storage.buckets (id, name, public, owner, owner_id, file_size_limit, allowed_mime_types, type)
  values (${bucket.id}, ${bucket.name}, ${bucket.public}, ${ownerUuid(bucket.owner)}, ${bucket.owner},
    ${bucket.fileSizeLimit}, ${bucket.allowedMimeTypes}::text[], 'STANDARD')`

export const upsertBucket = (bucket: NewBucket): Sql => sql`${insertBucket(bucket)}
  on conflict (id) do update set
    public = excluded.public, file_size_limit = excluded.file_size_limit,
    allowed_mime_types = excluded.allowed_mime_types, updated_at = now()
  where (buckets.public, buckets.file_size_limit, buckets.allowed_mime_types)
    is distinct from (excluded.public, excluded.file_size_limit, excluded.allowed_mime_types)`

export const updateBucket = (id: string, changes: BucketChanges): Sql => sql`
  update storage.buckets set
    public = case when ${changes.public !== undefined} then ${changes.public ?? null}::boolean else public end,
    file_size_limit = case when ${changes.fileSizeLimit !== undefined}
      then ${changes.fileSizeLimit ?? null}::bigint else file_size_limit end,
    allowed_mime_types = case when ${changes.allowedMimeTypes !== undefined}
      then ${changes.allowedMimeTypes ?? null}::text[] else allowed_mime_types end,
    updated_at = now()
  where id = ${id}`

export const deleteBucket = (id: string): Sql => sql`delete from storage.buckets where id = ${id}`

export const bucketHasObjects = (id: string): Sql =>
  sql`select exists (select from storage.objects where bucket_id = ${id}) as occupied`
