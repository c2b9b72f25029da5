import { literal } from '../../lib/sql.ts'
import type { Bucket } from './storage.ts'

/** The statement that makes a bucket, or gives one that is there the same settings. */
export function bucketSql({ id, name, public: isPublic, file_size_limit: limit, allowed_mime_types: types }: Bucket) {
  const listed = types ? `array[${types.map((type) => literal(type).trim()).join(', ')}]` : 'null'
  return `insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types)
values (${literal(id).trim()}, ${literal(name).trim()}, ${isPublic}, ${limit ?? 'null'}, ${listed})
on conflict (id) do update set
  public = excluded.public, file_size_limit = excluded.file_size_limit,
  allowed_mime_types = excluded.allowed_mime_types;`
}
