import { DatabaseError } from 'pg-protocol'
import type { Log } from '../kernel/service.ts'
import { sql } from '../kernel/sql.ts'
import { type Batch, type Db, queryRows, type Result } from './db.ts'

const PAUSE = 1_000
const CANCELED = '57014'

/** Sends quick reads (`Batch.timedBy`) to a replica if it has everything committed before they came, at any node: the
 *  primary is asked for its log position, once for all waiting reads. Everything else goes to the primary.
 *
 *  Commits without `synchronous_commit` are acknowledged before they're in the log, so a read may not see them yet.
 *  @param findReplica Null while there is none. A single server: several behind one address differ in what they have. */
export function withReplicaReads(primary: Db, findReplica: () => Db | null, log: Log): Db {
  const position = createPosition(primary)
  let restingUntil = 0
  let isAway = false

  function rest(error: unknown): void {
    restingUntil = performance.now() + PAUSE
    if (!isAway)
      log.warn(`Reads go to the primary: the replica failed: ${error instanceof Error ? error.message : error}`)
    isAway = true
  }

  async function read(replica: Db, batch: Batch): Promise<Result[] | null> {
    const check = sql`select pg_last_wal_replay_lsn() >= ${await position()}::pg_lsn as is_there`
    const [checked, ...results] = await replica.run({ ...batch, statements: [check, ...batch.statements] })
    isAway = false
    return checked?.rows[0]?.is_there === true ? results : null
  }

  return {
    ...primary,
    async run(batch) {
      const isRead = batch.timedBy !== undefined && batch.access === 'read only'
      const replica =
        isRead && !batch.isolation && batch.end !== 'rollback' && performance.now() >= restingUntil && findReplica()
      if (!replica) return primary.run(batch)
      try {
        const results = await read(replica, batch)
        if (results) return results
      } catch (error) {
        const code = error instanceof DatabaseError ? error.code : undefined
        // A retry would take as long.
        if (code === CANCELED) throw error
        // A caller's errors would occur at the primary too. Others last: the replica is down or has to catch up.
        if (isOfTheServer(code)) rest(error)
      }
      return primary.run(batch)
    },
  }
}

const isOfTheServer = (code = ''): boolean => !/^(?:22|23|42|P0|PT|40)/.test(code)

/** Returns a primary log position from after the call: one query at a time, shared by all who came before it. */
function createPosition(primary: Db): () => Promise<string> {
  const ask = async (): Promise<string> => {
    const rows = await queryRows<{ position: string }>(primary)`select pg_current_wal_flush_lsn()::text as position`
    return rows[0]?.position ?? ''
  }
  let current: Promise<string> | null = null
  let next: Promise<string> | null = null
  const start = (): Promise<string> => {
    current = ask().finally(() => {
      current = null
    })
    return current
  }
  return () => {
    if (!current) return start()
    next ??= current
      .catch(() => undefined)
      .then(() => {
        next = null
        return start()
      })
    return next
  }
}
