import type { Db } from '../../database/db.ts'
import { execute, queryRows } from '../../database/db.ts'
import type { Clock } from '../../kernel/service.ts'
import { sql } from '../../kernel/sql.ts'
import type { User } from '../models/user.ts'

/** A limit whose buckets start full and refill evenly. */
export type BucketLimit = {
  readonly name: string
  readonly size: number
  readonly perSecond: number
}

/** Token buckets, by limit and id: an address, a user, a code. */
export type Buckets = {
  take(limit: BucketLimit, id: string, now: Date): Promise<boolean>
  has(limit: BucketLimit, id: string, now: Date): Promise<boolean>
  /** Takes a token even if none is left, down to minus the bucket's size: parallel requests are paid for later. */
  force(limit: BucketLimit, id: string, now: Date): Promise<void>
  giveBack(limit: BucketLimit, id: string, now: Date): Promise<void>
  forget(limit: BucketLimit, id: string): Promise<void>
}

/** Milliseconds that nodes' clocks may differ. Beyond that the clock was set back, and waiting for the old time would
 *  lock clients out. */
const MAX_AHEAD = 60_000

/** Buckets kept in memory per limit; beyond this the least recently used is dropped. */
const MAX_IDS = 10_000

type Bucket = { readonly tokens: number; readonly at: number }

export function createMemoryBuckets(): Buckets {
  const limits = new Map<string, Map<string, Bucket>>()

  function bucketsOf({ name }: BucketLimit): Map<string, Bucket> {
    const buckets = limits.get(name) ?? new Map<string, Bucket>()
    limits.set(name, buckets)
    return buckets
  }

  function tokensOf(limit: BucketLimit, id: string, now: Date): number {
    const bucket = bucketsOf(limit).get(id)
    if (!bucket || (limit.perSecond > 0 && bucket.at - now.getTime() > MAX_AHEAD)) return limit.size
    const elapsed = Math.max(0, now.getTime() - bucket.at) / 1_000
    return Math.min(limit.size, bucket.tokens + elapsed * limit.perSecond)
  }

  function keep(limit: BucketLimit, id: string, now: Date, tokens: number): void {
    const buckets = bucketsOf(limit)
    buckets.delete(id)
    buckets.set(id, { tokens, at: now.getTime() })
    const [oldest] = buckets.keys()
    if (buckets.size > MAX_IDS && oldest !== undefined) buckets.delete(oldest)
  }

  return {
    async take(limit, id, now) {
      const tokens = tokensOf(limit, id, now)
      if (tokens < 1) return false
      keep(limit, id, now, tokens - 1)
      return true
    },
    has: async (limit, id, now) => tokensOf(limit, id, now) >= 1,
    async force(limit, id, now) {
      keep(limit, id, now, Math.max(-limit.size, tokensOf(limit, id, now) - 1))
    },
    async giveBack(limit, id, now) {
      keep(limit, id, now, Math.min(limit.size, tokensOf(limit, id, now) + 1))
    },
    async forget(limit, id) {
      bucketsOf(limit).delete(id)
    },
  }
}

const REFILLED = sql`_undock.buckets`
const KEPT = sql`_undock.kept_buckets`
/** Used-up proofs must survive a crash. */
const tableOf = ({ perSecond }: BucketLimit) => (perSecond === 0 ? KEPT : REFILLED)

/** Creates buckets that all nodes of a database share: each operation is one statement, which locks the bucket's row. */
export function createSharedBuckets(db: Db): Buckets {
  const isAhead = ({ perSecond }: BucketLimit, now: Date) =>
    sql`${perSecond}::float8 > 0 and b.at > ${new Date(now.getTime() + MAX_AHEAD)}`
  const refilled = (limit: BucketLimit, now: Date) =>
    sql`case when ${isAhead(limit, now)} then ${limit.size}::float8 else
      least(${limit.size}::float8, b.tokens + greatest(0, extract(epoch from ${now}::timestamptz - b.at)::float8) * ${limit.perSecond}::float8) end`

  async function change(limit: BucketLimit, id: string, now: Date, by: number, least: number | null): Promise<boolean> {
    const { name, size } = limit
    const tokens = refilled(limit, now)
    const { rowCount } = await execute(db)`
      insert into ${tableOf(limit)} as b (name, id, tokens, at)
      values (${name}, ${id}, least(${size}::float8, ${size}::float8 + ${by}::float8), ${now})
      on conflict (name, id) do update set
        tokens = least(${size}::float8, greatest(-${size}::float8, ${tokens} + ${by}::float8)),
        at = case when ${isAhead(limit, now)} then excluded.at else greatest(b.at, excluded.at) end
      where ${least}::float8 is null or ${tokens} >= ${least}::float8`
    return rowCount === 1
  }

  return {
    take: (limit, id, now) => (limit.size < 1 ? Promise.resolve(false) : change(limit, id, now, -1, 1)),
    async has(limit, id, now) {
      const rows = await queryRows<{ has: boolean }>(db)`select ${refilled(limit, now)} >= 1 as has
        from ${tableOf(limit)} b
        where b.name = ${limit.name} and b.id = ${id}`
      return rows[0]?.has ?? limit.size >= 1
    },
    async force(limit, id, now) {
      await change(limit, id, now, -1, null)
    },
    async giveBack(limit, id, now) {
      await change(limit, id, now, 1, null)
    },
    async forget(limit, id) {
      await execute(db)`delete from ${tableOf(limit)} where name = ${limit.name} and id = ${id}`
    },
  }
}

/** Removes shared buckets unused for a day: no limit counts longer. */
export async function pruneBuckets(db: Db, now: Date): Promise<void> {
  const dayAgo = new Date(now.getTime() - 24 * 60 * 60 * 1_000)
  for (const table of [KEPT, REFILLED]) await execute(db)`delete from ${table} where at < ${dayAgo}`
}

/** Wrong attempts before a one-time code counts as expired. Upstream relies on rate limits, off in its local stack. */
const MAX_ATTEMPTS = 10

const CODES: BucketLimit = { name: 'codes', size: MAX_ATTEMPTS, perSecond: 0 }

/** Counts attempts at codes that are short enough to guess. */
export type CodeAttempts = {
  /** Counts an attempt. Call it before comparing the code, so that parallel attempts are counted one by one.
   *  @returns false if the code has used up its attempts. */
  take(code: string): Promise<boolean>
  isSpent(code: string): Promise<boolean>
  forget(code: string): Promise<void>
}

export const createCodeAttempts = (buckets: Buckets, clock: Clock): CodeAttempts => ({
  take: (code) => buckets.take(CODES, code, clock.now()),
  isSpent: async (code) => !(await buckets.has(CODES, code, clock.now())),
  forget: (code) => buckets.forget(CODES, code),
})

export type CodeKind = 'confirmation' | 'recovery' | 'email_change' | 'phone_change' | 'reauthentication'

/** Returns the key of a user's current code; later codes have other keys. */
export const codeKey = (user: User, kind: CodeKind): string =>
  `${kind} ${user.id} ${user[`${kind}_sent_at`]?.getTime() ?? 0}`

const PROOFS: BucketLimit = { name: 'proofs', size: 1, perSecond: 0 }

/** Remembers accepted signed proofs until they expire, so that none is accepted twice. */
export type ReplayGuard = {
  /** @param name Identifies the proof, for example by issuer and id. @param until When it expires.
   *  @returns false if it was used before. */
  take(name: string, until: Date): Promise<boolean>
}

export const createReplayGuard = (buckets: Buckets): ReplayGuard => ({
  take: (name, until) => buckets.take(PROOFS, name, until),
})
