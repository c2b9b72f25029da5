import { createSerialQueue } from '../../kernel/promises.ts'
import { quoteIdentifier } from '../../kernel/sql.ts'
import { ENGINE_USER, PROJECT_USER } from '../as-project-user.ts'
import type { Notification } from '../db.ts'
import { engineBusy } from '../protocol/errors.ts'
import { runScript } from '../protocol/exchange.ts'
import { readAsyncMessages } from '../protocol/frames.ts'
import { findLoginRole } from '../protocol/login-role.ts'
import { PreparedStatements } from '../protocol/prepared-statements.ts'
import type { Engine, Session } from '../session.ts'

type OneSessionOptions = {
  /** Sends bytes to the session and returns its response.
   *  @param isLimited Whether the statement limit applies. */
  exchange(bytes: Uint8Array, isLimited: boolean): Promise<Uint8Array>
  /** Milliseconds that work may wait for its turn. */
  readonly waitLimit: number
  close(): Promise<void>
}

export type OneSession = Engine & {
  inTurn<T>(work: () => Promise<T>): Promise<T>
  /** Notifies subscribers that the session restarted, possibly with other data. */
  reopened(): void
}

/** Work of one caller in progress: it runs in turns, so this is the longest that others wait. */
const CALLER_SHARE = 3

/** PGlite as an engine: callers take turns on its only session. The session stays a superuser's and changes users by
 *  SET SESSION AUTHORIZATION, which anything that runs in it, including the project's SQL, could undo. */
export function createOneSession({ exchange, waitLimit, close }: OneSessionOptions): OneSession {
  const inTurn = createTurns(waitLimit)
  const onNotification = new Set<(notification: Notification) => void>()
  const onReopened = new Set<() => void>()
  const prepared = new PreparedStatements()
  const sessionOf = (isLimited: boolean): Session => ({
    prepared,
    async exchange(bytes) {
      const response = await exchange(bytes, isLimited)
      for (const one of readAsyncMessages(response).notifications) for (const handler of onNotification) handler(one)
      return response
    },
  })
  const session = sessionOf(true)
  const as = <T>(user: string, lent: Session, work: (session: Session) => Promise<T>): Promise<T> =>
    inTurn(() => asUser(user, lent, work))
  return {
    isSuperuser: true,
    callerShare: CALLER_SHARE,
    waitLimit,
    inTurn,
    exchangeOnce: (work) => inTurn(() => work(session)),
    withSession: (work) => inTurn(() => work(session)),
    withSessionOf: (user, work) => as(user, session, work),
    withProjectSession: (work) => as(PROJECT_USER, sessionOf(false), work),
    runListen: (script) => inTurn(() => runScript(session, script)),
    // Notifications arrive in the response to the statement that sent them.
    flushNotifications: async () => undefined,
    onNotification(handler) {
      onNotification.add(handler)
      return () => onNotification.delete(handler)
    },
    onReopened(handler) {
      onReopened.add(handler)
      return () => onReopened.delete(handler)
    },
    reopened() {
      prepared.clear()
      for (const handler of onReopened) handler()
    },
    close: () => inTurn(close),
  }
}

/** Lends the session in the state that a role finds after logging in. */
async function asUser<T>(user: string, session: Session, work: (session: Session) => Promise<T>): Promise<T> {
  await findLoginRole(session, user)
  try {
    await runScript(session, `set session authorization ${quoteIdentifier(user)}`)
    return await work(session)
  } finally {
    await runScript(session, 'rollback')
    // RESET SESSION AUTHORIZATION has no effect in PGlite, so name the user.
    await runScript(session, `set session authorization ${ENGINE_USER}; reset role; reset all`)
    await runScript(session, 'discard temp')
  }
}

/** Milliseconds after the opening until which work may always wait: services that start may need the session for long. */
const START = 60_000

/** Runs work one piece at a time. @throws 55P03 if its turn doesn't come in time. */
function createTurns(waitLimit: number): <T>(work: () => Promise<T>) => Promise<T> {
  const inTurn = createSerialQueue()
  const started = performance.now() + START
  return (work) =>
    new Promise((resolve, reject) => {
      let isTooLate = false
      const limit = Math.max(waitLimit, started - performance.now())
      const timer = setTimeout(() => {
        isTooLate = true
        reject(engineBusy(waitLimit))
      }, limit)
      timer.unref()
      void inTurn(async () => {
        clearTimeout(timer)
        if (!isTooLate) await work().then(resolve, reject)
      })
    })
}

/** Options of initdb. WAL segments of 1 MB instead of 16, so that in-memory stacks unpack less. */
export const INITDB_PARAMETERS = ['--wal-segsize=1']

export const START_SETTINGS: Readonly<Record<string, string>> = {
  // A single-user engine ignores `alter role … set`.
  search_path: '"$user", public, extensions',
  // The default of 128 MB would all be touched at start; the file system caches the rest.
  shared_buffers: '32MB',
  // Files may be in memory, where kept segments cost memory.
  min_wal_size: '4MB',
  max_wal_size: '256MB',
  // As in Supabase's container: the planner uses it, and EXPLAIN shows it.
  effective_cache_size: '128MB',
  // initdb derives this from the locale, which has no language here: searches wouldn't stem.
  default_text_search_config: 'pg_catalog.english',
  // As in Supabase's container: rounds floating point numbers.
  extra_float_digits: '0',
}
