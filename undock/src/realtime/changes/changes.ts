import type { Db } from '../../database/db.ts'
import type { Claims, Log } from '../../kernel/service.ts'
import { sql, statement } from '../../kernel/sql.ts'
import { createTurns } from '../../kernel/turns.ts'
import { Feed } from './feed.ts'
import { type ChangeListener, Subscriptions } from './subscriptions.ts'

type Wishes = readonly Readonly<Record<string, unknown>>[]

/** Row changes for those who listen. */
export type Changes = {
  /** Replaces what the listener had. @throws {SubscriptionRefused} */
  subscribe(listener: ChangeListener, wishes: Wishes, claims: Claims): Promise<void>
  unsubscribe(listener: ChangeListener): void
  /** Makes up for what a restarted or replaced database has lost: subscriptions, notifications. */
  check(): Promise<void>
  close(): Promise<void>
}

/** Milliseconds to wait for more DDL before subscriptions follow the publication. */
const SETTLE = 50

export async function openChanges(db: Db, log: Log): Promise<Changes> {
  const subscriptions = new Subscriptions(db)
  await subscriptions.clear()
  const feed = new Feed(db, subscriptions, log)
  const listeners = new Map<ChangeListener, { wishes: Wishes; claims: Claims }>()
  let warned: ReadonlySet<string> = new Set()
  let published = await readPublication()
  let timer: NodeJS.Timeout | null = null
  // What an older look at the publication found must not replace what a newer one did.
  const inTurn = createTurns()

  async function apply(listener: ChangeListener): Promise<void> {
    const wanted = listeners.get(listener)
    if (!wanted) return
    await subscriptions.set(listener, wanted.wishes, wanted.claims)
    // It may have left in the meantime.
    if (!listeners.has(listener)) await subscriptions.delete(listener)
  }

  async function applyAll(): Promise<void> {
    for (const listener of listeners.keys()) {
      // A wish that no longer names a published table waits for it to come back.
      await apply(listener).catch((error) =>
        log.warn('A subscription does not fit the publication any more', { reason: String(error) }),
      )
    }
  }

  async function followPublication(): Promise<void> {
    const before = published
    published = await readPublication()
    if (published !== before) await applyAll()
  }

  /** Stands for the published tables and their columns: most DDL leaves it as it was. */
  async function readPublication(): Promise<string> {
    const { signature, narrowed } = await publishedTables(db)
    for (const table of narrowed.filter((name) => !warned.has(name)))
      log.warn(
        `Realtime tells whole rows and all rows of ${table}: it reads no column list or row filter of supabase_realtime. Grants on columns and row security hide`,
      )
    warned = new Set(narrowed)
    return signature
  }

  const stopChanges = await db.listen('realtime_changes', () => feed.wake())
  function followSoon(): void {
    timer ??= setTimeout(() => {
      timer = null
      inTurn(followPublication).catch((error) => {
        // Somebody drops a table while the catalog is read.
        if (isGone(error)) followSoon()
        else log.error('CheckOidsError', error)
      })
    }, SETTLE)
  }
  const stopPublication = await db.listen('realtime_publication', followSoon)

  return {
    async subscribe(listener, wishes, claims) {
      listeners.set(listener, { wishes, claims })
      await apply(listener)
    },
    unsubscribe(listener) {
      listeners.delete(listener)
      void subscriptions.delete(listener).catch((error) => log.error('SubscriptionDeletionFailed', error))
    },
    async check() {
      if (listeners.size === 0) return
      await inTurn(async () => {
        if (!(await subscriptions.areKept())) await applyAll()
      })
      feed.wake()
    },
    async close() {
      listeners.clear()
      await Promise.all([stopChanges(), stopPublication(), inTurn(async () => undefined)])
      if (timer) clearTimeout(timer)
      await feed.idle()
      await subscriptions.clear()
    },
  }
}

/** Whether it says that a relation which the catalog has just named is not there any more: undefined_table, or what
 *  Postgres answers where it had the relation's oid already. */
function isGone(error: unknown): boolean {
  const { code, message } = error as { code?: string; message?: string }
  return code === '42P01' || (code === 'XX000' && /^could not open relation/.test(message ?? ''))
}

/** @returns a hash of the published tables and their columns, and those tables whose publication has a column list or row
 *  filter: upstream's stream reads neither (wal2json). */
async function publishedTables(db: Db): Promise<{ signature: string; narrowed: readonly string[] }> {
  const { rows } = await db.query<{ signature: string; narrowed: string[] }>(
    statement(sql`
      select coalesce(md5(string_agg(concat_ws(' ', a.attrelid, a.attname, a.atttypid), ',' order by a.attrelid, a.attnum)), '')
        as signature,
        array(
          select format('%s.%I', c.relnamespace::regnamespace, c.relname)
          from pg_publication_rel r
          join pg_publication o on o.oid = r.prpubid
          join pg_class c on c.oid = r.prrelid
          where o.pubname = 'supabase_realtime' and (r.prattrs is not null or r.prqual is not null)
        ) as narrowed
      from pg_publication_tables p
      join pg_attribute a on a.attrelid = format('%I.%I', p.schemaname, p.tablename)::regclass
      where p.pubname = 'supabase_realtime' and a.attnum > 0 and not a.attisdropped`),
  )
  return rows[0] ?? { signature: '', narrowed: [] }
}
