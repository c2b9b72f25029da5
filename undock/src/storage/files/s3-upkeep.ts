import { randomUUID } from 'node:crypto'
import type { Db } from '../../database/db.ts'
import { execute, queryRows } from '../../database/db.ts'
import type { Clock, Log } from '../../kernel/service.ts'
import { keyword, type Sql, sql } from '../../kernel/sql.ts'
import { StorageError } from '../errors.ts'
import { bucketFolder } from './contents.ts'
import { FilesError, type S3Store } from './s3-client.ts'
import { CONTENTS } from './s3-contents.ts'

/** Milliseconds (two days): an upload may take a day, and some stores date a content by the upload's start. */
export const LEFT_OVER_AFTER = 48 * 60 * 60 * 1000
/** How often the store is repaired, by whichever node comes first. */
const INTERVAL = keyword("interval '1 day'")
/** Milliseconds between checks whether a repair is due. */
const LOOK = 15 * 60 * 1000
/** Contents looked up per query, which reads all rows of objects each time. */
const LOOKED_UP = 50_000

/** The object that says whose files these are: a database's id, and the number of its repairs. */
const OWNER = 'database'
type Owner = { readonly id: string; readonly repairs: number }

/** Claims the bucket's prefix for a database, so that no other removes its files.
 *  @param db The database as the stack itself.
 *  @throws {FilesError} if another database has claimed it. */
export async function claimStore(db: Db, store: S3Store): Promise<void> {
  await execute(db)`insert into _undock.file_store (id) values (${randomUUID()}) on conflict do nothing`
  const rows = await queryRows<{ id: string }>(db)`select id from _undock.file_store`
  const id = rows[0]?.id ?? ''
  let owner = await ownerOf(store)
  if (owner === null) {
    await putOwner(store, { id, repairs: 0 })
    owner = await ownerOf(store)
  }
  if (owner?.id !== id)
    throw new FilesError(
      `${store.name} holds the files of another database (${owner?.id}; this one is ${id}). Give each database a prefix of its own. ` +
        `Is this the same one, restored from a dump? Then delete the object "${OWNER}" below the prefix, and start again.`,
    )
}

const putOwner = (store: S3Store, { id, repairs }: Owner): Promise<void> =>
  store.put(OWNER, Buffer.from(`${id} ${repairs}`))

async function ownerOf(store: S3Store): Promise<Owner | null> {
  try {
    const [id = '', repairs = '0'] = (await store.readAll(OWNER)).toString().split(' ')
    return { id, repairs: Number(repairs) }
  } catch (error) {
    if (error instanceof StorageError && error.code === 'NoSuchKey') return null
    throw error
  }
}

export type StoreRepair = { readonly orphans: number; readonly uploads: number }
type Deps = { readonly system: Db; readonly clock: Clock; readonly log: Log }

/** Repairs the store once a day, on one node; if it dies, the next day catches up. @returns a function that stops it. */
export function keepRepaired(deps: Deps, store: S3Store, interval = LOOK): () => void {
  const look = async (): Promise<void> => {
    try {
      const { rows } = await deps.system.query<Owner>(claimRepair)
      const [own] = rows
      if (own && (await isOfThisTime(deps, store, own))) await repairStore(deps, store)
    } catch (error) {
      deps.log.error('storage: the repair of the S3 store failed', error)
    }
  }
  const timer = setInterval(() => void look(), interval).unref()
  return () => clearInterval(timer)
}

/** Only one of several nodes succeeds. */
const claimRepair: Sql = sql`update _undock.file_store set repair_due = clock_timestamp() + ${INTERVAL}
  where repair_due <= clock_timestamp() returning id, repairs::int`

/** Returns whether the database has seen all of the store's repairs, and counts the next one. An older database lacks
 *  the rows of what was stored since, and would remove it. */
async function isOfThisTime({ system, log }: Deps, store: S3Store, { id, repairs }: Owner): Promise<boolean> {
  const seen = (await ownerOf(store))?.repairs ?? 0
  if (seen > repairs) {
    log.error(
      'storage: the S3 store is not repaired',
      new Error(
        `It was repaired ${seen} times, and this database knows of ${repairs}: it is older than the store, or a copy of it uses the same one. ` +
          `Give a copy a store of its own. If this one goes on with the store, without what was stored since: ` +
          `update _undock.file_store set repairs = ${seen}`,
      ),
    )
    return false
  }
  await execute(system)`update _undock.file_store set repairs = ${repairs + 1}`
  await putOwner(store, { id, repairs: repairs + 1 })
  return true
}

/** Removes what dead nodes left: contents without a row (never acknowledged, or deleted), ends of resumable uploads,
 *  and multipart uploads in progress, if older than `LEFT_OVER_AFTER`. */
export async function repairStore({ system, clock, log }: Deps, store: S3Store): Promise<StoreRepair> {
  const before = new Date(clock.now().getTime() - LEFT_OVER_AFTER)
  let orphans = 0
  const remove = async (keys: readonly string[]): Promise<void> => {
    await store.delete(keys)
    orphans += keys.length
  }

  let old: string[] = []
  for await (const page of store.list(CONTENTS)) {
    old.push(...page.filter(({ modified }) => modified < before).map(({ key }) => key))
    if (old.length < LOOKED_UP) continue
    await remove(await withoutRow(system, old))
    old = []
  }
  await remove(await withoutRow(system, old))
  // Everything else belongs to uploads that have ended by then.
  for await (const page of store.list(''))
    await remove(
      page
        .filter(({ key, modified }) => modified < before && key !== OWNER && !key.startsWith(CONTENTS))
        .map(({ key }) => key),
    )

  let uploads = 0
  for await (const { key, id, initiated } of store.listUploads('')) {
    if (initiated >= before) continue
    await store.abortUpload(key, id)
    uploads += 1
  }
  if (orphans + uploads > 0) log.info('storage: removed unreferenced objects from the S3 store', { orphans, uploads })
  return { orphans, uploads }
}

async function withoutRow(db: Db, keys: readonly string[]): Promise<string[]> {
  const versions = keys.map((key) => key.split('/').at(-1) ?? '')
  const rows = await queryRows<{ bucket_id: string; version: string }>(db)`select bucket_id, version
    from storage.objects where version = any(${versions}::text[])`
  const named = new Set(rows.map(({ bucket_id, version }) => `${CONTENTS}${bucketFolder(bucket_id)}/${version}`))
  return keys.filter((key) => !named.has(key))
}
