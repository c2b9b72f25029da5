import type { Db } from '../../database/db.ts'
import type { Claims, Log } from '../../kernel/service.ts'
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
  let timer: NodeJS.Timeout | null = null

  async function follow(): Promise<void> {
    timer = null
    for (const [listener, { wishes, claims }] of listeners) {
      // A wish that no longer names a published table waits for it to come back.
      await subscriptions.set(listener, wishes, claims).catch((error) => {
        log.warn('A subscription does not fit the publication any more', { reason: String(error) })
        return subscriptions.delete(listener)
      })
    }
  }

  const stopChanges = await db.listen('realtime_changes', () => feed.wake())
  const stopPublication = await db.listen('realtime_publication', () => {
    if (listeners.size === 0) return
    timer ??= setTimeout(() => void follow().catch((error) => log.error('CheckOidsError', error)), SETTLE)
  })

  return {
    async subscribe(listener, wishes, claims) {
      listeners.set(listener, { wishes, claims })
      await subscriptions.set(listener, wishes, claims)
    },
    unsubscribe(listener) {
      listeners.delete(listener)
      void subscriptions.delete(listener).catch((error) => log.error('SubscriptionDeletionFailed', error))
    },
    async check() {
      if (listeners.size === 0) return
      if (!(await subscriptions.areKept())) await follow()
      feed.wake()
    },
    async close() {
      if (timer) clearTimeout(timer)
      listeners.clear()
      await Promise.all([stopChanges(), stopPublication()])
      await feed.idle()
      await subscriptions.clear()
    },
  }
}
