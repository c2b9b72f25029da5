import { asProjectUser } from '../../database/as-project-user.ts'
import type { Db } from '../../database/db.ts'
import { execute, queryRows } from '../../database/db.ts'
import { createSerialQueue } from '../../kernel/promises.ts'
import type { Claims, Log } from '../../kernel/service.ts'
import { NO_TRACER, type Tracer } from '../../kernel/tracer.ts'
import { ChangeQueue, LostPlaceError, ReplacedServerError } from './change-queue.ts'
import { Feed } from './feed.ts'
import { SubscriptionError } from './params.ts'
import { type ChangeListener, Subscriptions } from './subscriptions.ts'

type Bindings = readonly Readonly<Record<string, unknown>>[]

type Listening = {
  readonly bindings: Bindings
  readonly claims: Claims
  /** Signature of the publication the subscriptions match; null to renew them. */
  published: string | null
}

export type Changes = {
  /** Replaces the listener's subscriptions. @throws {SubscriptionError} */
  subscribe(listener: ChangeListener, bindings: Bindings, claims: Claims): Promise<void>
  unsubscribe(listener: ChangeListener): void
  /** Restores subscriptions that a restarted database lost, and fetches unannounced changes. */
  check(): Promise<void>
  /** Like `check` after the database was replaced, but skips changes to the old data. */
  restart(): Promise<void>
  close(): Promise<void>
}

/** Milliseconds between lease renewals. */
const RENEWAL = 1_000

const MISSED = 'Changes may have been missed, please join again'

/** Milliseconds to wait for more DDL before following the publication, unless a change arrives first. */
const SETTLE = 50

/** Opens the delivery of row changes.
 *  @param node The owner of the subscriptions, and whether it's the only one. */
export async function openChanges(
  superuserDb: Db,
  log: Log,
  { tracer = NO_TRACER, ...node }: { readonly node: string; readonly isAlone: boolean; readonly tracer?: Tracer },
): Promise<Changes> {
  // Types, casts and triggers involved here may be the project's own code.
  const db = asProjectUser(superuserDb)
  const queue = new ChangeQueue(db, node)
  const subscriptions = new Subscriptions(db, node.node)
  await queue.join()
  await subscriptions.deleteOrphans()
  const listeners = new Map<ChangeListener, Listening>()
  let warned: ReadonlySet<string> = new Set()
  let timer: NodeJS.Timeout | null = null
  // Serialized, so an older reading of the publication never overwrites a newer one.
  const inTurn = createSerialQueue()
  const feed = new Feed({ db, queue: { take }, subscriptions, log, tracer }, () => inTurn(followPublication))
  let renewal: NodeJS.Timeout | null = null

  async function take(most: number): ReturnType<ChangeQueue['take']> {
    try {
      const taken = await queue.take(most)
      if (taken.taken.length > 0) renewal ??= setTimeout(() => void renewOnTime(), RENEWAL).unref()
      return taken
    } catch (error) {
      await inTurn(() => recover(error))
      return { taken: [], mayBeMore: true }
    }
  }

  async function renewOnTime(): Promise<void> {
    renewal = null
    await inTurn(renew).catch((error) =>
      log.warn('The queue of changes could not be trimmed', { reason: String(error) }),
    )
  }

  async function renew(): Promise<void> {
    try {
      if (await queue.renew()) await subscriptions.deleteOrphans()
    } catch (error) {
      await recover(error)
    }
  }

  /** Resumes at this node's place on a promoted server, provided the server also has its clients' subscriptions:
   *  otherwise it captured no changes for them.
   *  @throws errors it can't recover from */
  async function recover(error: unknown): Promise<void> {
    if (!(error instanceof ReplacedServerError)) return joinAgain(error)
    try {
      await queue.goBack()
      if (!(await subscriptions.areKept())) throw new LostPlaceError('Another server took over without subscriptions')
      log.info('Another server of the database answers, and row changes continue')
    } catch (lost) {
      await joinAgain(lost)
    }
  }

  /** Rejoins after losing the place. Clients may have missed changes only if there are other nodes.
   *  @throws all other errors */
  async function joinAgain(error: unknown): Promise<void> {
    if (!(error instanceof LostPlaceError)) throw error
    await queue.join()
    if (node.isAlone) return restore()
    log.warn('Realtime may have missed changes, and its subscribers join again', { reason: error.message })
    for (const listener of [...listeners.keys()]) listener.fail(MISSED)
  }

  async function restore(): Promise<void> {
    for (const wanted of listeners.values()) wanted.published = null
    await applyAll()
  }

  async function apply(listener: ChangeListener, { isNew }: { readonly isNew: boolean }): Promise<void> {
    const wanted = listeners.get(listener)
    if (!wanted) return
    await subscriptions.set(listener, { bindings: wanted.bindings, claims: wanted.claims, isNew })
    // The listener may have unsubscribed in the meantime.
    if (!listeners.has(listener)) await subscriptions.delete(listener)
  }

  async function applyAll(): Promise<void> {
    const published = await readPublication()
    for (const [listener, wanted] of listeners) {
      if (wanted.published === published) continue
      await apply(listener, { isNew: false }).catch((error) => {
        if (!(error instanceof SubscriptionError)) throw error
        log.warn('A subscription no longer matches the publication', { reason: String(error) })
      })
      wanted.published = published
    }
  }

  async function followPublication(): Promise<void> {
    await execute(db)`select _realtime.follow_publication() where not _realtime.is_in_step()`
    await applyAll()
  }

  /** A hash of the published tables and columns; most DDL doesn't change it. */
  async function readPublication(): Promise<string> {
    const { signature, narrowed } = await publishedTables(db)
    for (const table of narrowed.filter((name) => !warned.has(name)))
      log.warn(
        `Realtime sends whole rows, and all rows, of ${table}: it ignores column lists and row filters of supabase_realtime. Grants on columns and row security hide`,
      )
    warned = new Set(narrowed)
    return signature
  }

  const stopChanges = await db.listen('realtime_changes', () => feed.wake())
  const stopPublication = await db.listen('realtime_publication', () => {
    timer ??= setTimeout(() => {
      timer = null
      feed.wake()
    }, SETTLE)
  })

  return {
    async subscribe(listener, bindings, claims) {
      listeners.set(listener, { bindings, claims, published: null })
      await apply(listener, { isNew: true })
    },
    unsubscribe(listener) {
      listeners.delete(listener)
      void subscriptions.delete(listener).catch((error) => log.error('SubscriptionDeletionFailed', error))
    },
    async check() {
      await subscriptions.deleteOthers(listeners)
      await inTurn(async () => {
        await renew()
        if (listeners.size > 0 && !(await subscriptions.areKept())) await restore()
      })
      feed.wake()
    },
    async restart() {
      await inTurn(async () => {
        await queue.join()
        await restore()
      })
      feed.wake()
    },
    async close() {
      listeners.clear()
      await Promise.all([stopChanges(), stopPublication(), inTurn(async () => undefined)])
      if (timer) clearTimeout(timer)
      if (renewal) clearTimeout(renewal)
      await feed.close()
      subscriptions.clear()
      await queue.leave()
      await subscriptions.deleteOrphans()
    },
  }
}

/** @returns a hash of the published tables and columns, and the tables with a column list or row filter, which
 *  upstream's stream ignores (wal2json). */
async function publishedTables(db: Db): Promise<{ signature: string; narrowed: readonly string[] }> {
  const rows = await queryRows<{ signature: string; narrowed: string[] }>(db)`
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
    where p.pubname = 'supabase_realtime' and a.attnum > 0 and not a.attisdropped`
  return rows[0] ?? { signature: '', narrowed: [] }
}
