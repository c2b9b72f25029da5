import { createSerialQueue } from '../../kernel/serial-queue.ts'
import { quoteIdentifier } from '../../kernel/sql.ts'
import type { Notification } from '../db.ts'
import { ENGINE_USER, PROJECT_USER } from '../engine-user.ts'
import { engineBusy } from '../protocol/errors.ts'
import { readAsyncMessages } from '../protocol/frames.ts'
import { findLoginRole } from '../protocol/login-role.ts'
import { PreparedStatements } from '../protocol/prepared-statements.ts'
import { runScript } from '../protocol/run-script.ts'
import type { Engine, Session } from '../session.ts'

type OneSessionOptions = {
  /** Sends bytes to the session and returns its response.
   *  @param isLimited Whether it may take no longer than the limit of statements. */
  exchange(bytes: Uint8Array, isLimited: boolean): Promise<Uint8Array>
  /** Milliseconds that work may wait for its turn; for as long as it takes when left out. */
  readonly waitLimit?: number
  /** Called in a turn of its own. */
  close(): Promise<void>
}

export type OneSession = Engine & {
  /** Does work while nobody uses the session. */
  inTurn<T>(work: () => Promise<T>): Promise<T>
  /** Tells everybody that the session began again, with other data perhaps. */
  reopened(): void
}

/** What one caller may have under way: work runs in turns, so this is what others wait for at most. */
const CALLER_SHARE = 3

/** PGlite as an engine: callers use its only session in turn. It stays that of a superuser, who takes other users by SET SESSION
 *  AUTHORIZATION: what runs in it, the project's SQL too, could take the superuser back. */
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
    callerShare: waitLimit === undefined ? Number.POSITIVE_INFINITY : CALLER_SHARE,
    waitLimit: waitLimit ?? Number.POSITIVE_INFINITY,
    inTurn,
    exchangeOnce: (work) => inTurn(() => work(session)),
    withSession: (work) => inTurn(() => work(session)),
    withSessionOf: (user, work) => as(user, session, work),
    withProjectSession: (work) => as(PROJECT_USER, sessionOf(false), work),
    runListen: (script) => inTurn(() => runScript(session, script)),
    // Notifications arrive in the response of the statement that sent them.
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

/** Lends the session in the state that a role finds after it has logged in. */
async function asUser<T>(user: string, session: Session, work: (session: Session) => Promise<T>): Promise<T> {
  await findLoginRole(session, user)
  try {
    await runScript(session, `set session authorization ${quoteIdentifier(user)}`)
    return await work(session)
  } finally {
    await runScript(session, 'rollback')
    // RESET SESSION AUTHORIZATION changes nothing in PGlite, naming the user does.
    await runScript(session, `set session authorization ${ENGINE_USER}; reset role; reset all`)
    await runScript(session, 'discard temp')
  }
}

/** Runs work one piece after another.
 *  @throws 55P03 when a turn does not come in time. */
function createTurns(waitLimit: number | undefined): <T>(work: () => Promise<T>) => Promise<T> {
  const inTurn = createSerialQueue()
  if (waitLimit === undefined) return inTurn
  return (work) =>
    new Promise((resolve, reject) => {
      let isTooLate = false
      const timer = setTimeout(() => {
        isTooLate = true
        reject(engineBusy(waitLimit))
      }, waitLimit)
      timer.unref()
      void inTurn(async () => {
        clearTimeout(timer)
        if (!isTooLate) await work().then(resolve, reject)
      })
    })
}
