import { type Statement, sql, statement } from '../../kernel/sql.ts'
import type { StorageDeps } from '../deps.ts'
import { bucketFolder } from '../files/contents.ts'
import type { FolderContents } from '../files/folder.ts'

export type Repair = { readonly orphans: number; readonly missing: number }

/** Rows in one query. */
const PAGE = 5000
/** How many rows without content the log names one by one. */
const NAMED = 20

/** Brings a folder and the database together after a kill: a content without a row is removed (its upload was never
 *  acknowledged, or its object is deleted), a row without a content is logged, because only its owner can decide what to do.
 *  Runs before the service answers, so nothing else writes meanwhile. */
export async function repair({ db, log }: Pick<StorageDeps, 'db' | 'log'>, content: FolderContents): Promise<Repair> {
  const onDisk = new Map<string, { bucketFolder: string; version: string }>()
  for await (const entry of content.list()) onDisk.set(`${entry.bucketFolder}/${entry.version}`, entry)

  let missing = 0
  let after = '00000000-0000-0000-0000-000000000000'
  for (;;) {
    const { rows } = await db.query<{ id: string; bucket_id: string; name: string; version: string }>(pageAfter(after))
    for (const row of rows) {
      if (onDisk.delete(`${bucketFolder(row.bucket_id)}/${row.version}`)) continue
      missing++
      if (missing <= NAMED) log.warn('storage: an object has no content', { bucket: row.bucket_id, name: row.name })
    }
    const last = rows.at(-1)
    if (!last || rows.length < PAGE) break
    after = last.id
  }

  for (const orphan of onDisk.values()) await content.removeListed(orphan)
  if (onDisk.size > 0) log.info('storage: removed contents that no object names', { count: onDisk.size })
  if (missing > NAMED) log.warn('storage: more objects have no content', { count: missing - NAMED })
  return { orphans: onDisk.size, missing }
}

/** Rows that a seed wrote by hand have no version and never had a content: they are not worth a warning. */
const pageAfter = (id: string): Statement =>
  statement(sql`select id, bucket_id, name, version from storage.objects
    where id > ${id} and version is not null and bucket_id is not null order by id limit ${PAGE}::int`)
