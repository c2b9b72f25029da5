import type { Notification } from '../db.ts'
import { PROJECT_USER } from '../engine-user.ts'
import { engineCannotAuthenticate, engineLost } from '../protocol/errors.ts'
import { PreparedStatements } from '../protocol/prepared-statements.ts'
import { runScript } from '../protocol/run-script.ts'
import type { Engine, Session } from '../session.ts'
import { EngineSupervisor } from './engine-supervisor.ts'
import type { JobOptions } from './engine-worker.ts'
import type { OpenOptions } from './messages.ts'
import { refuseOtherDatabases } from './one-database.ts'
import { type LockMode, SessionLock } from './session-lock.ts'
import { asUser, type MultiUserSession, UserSessions } from './user-sessions.ts'

/** Work of one caller that is sent to the worker before the answers of earlier work: what others wait for at most. */
const CALLER_SHARE = 3

/** PGlite: an engine with one session, in a worker thread. */
export type EmbeddedEngine = Engine & {
  /** Writes a tar of the whole data directory to a file. */
  dump(path: string): Promise<void>
  /** Replaces the data by a snapshot file, and reopens the engine (`onReopened`). */
  replace(snapshot: string): Promise<void>
  /** The bytes that the worker thread uses: Postgres' memory, compiled code, and a cluster that is kept in memory. */
  memory(): Promise<number>
}

export type EngineOptions = OpenOptions & {
  /** Milliseconds that one exchange may run. Then its statement is cancelled, and if it does not end, the engine is terminated. */
  readonly statementLimit: number
  /** Milliseconds a request waits for its turn. */
  readonly waitLimit: number
  /** See `WorkerOptions`. An engine that prepares something for another engine of the same process has the same value, because
   *  all engines of a process share their compiled program. */
  readonly isShortLived?: boolean
}

/** Opens PGlite in a worker thread.
 *  @throws {Error} when the data directory cannot be opened. */
export async function openEngine(options: EngineOptions): Promise<EmbeddedEngine> {
  const sessionLock = new SessionLock(options.waitLimit)
  const onNotification = new Set<(notification: Notification) => void>()
  const onReopened = new Set<() => void>()
  const prepared = new PreparedStatements()
  const engine = await EngineSupervisor.open(options, {
    onNotification(notification) {
      for (const handler of onNotification) handler(notification)
    },
    onReopened() {
      prepared.clear()
      users.clear()
      for (const handler of onReopened) handler()
    },
  })

  /** @param user The oid of the role that the session is authenticated as; without it the engine's own user. */
  const session = (limit: number | null, mode: LockMode = 'exclusive', user?: number): Session => ({
    prepared,
    exchange: (bytes) => exchange(bytes, user, { limit }, mode),
  })

  function exchange(bytes: Uint8Array, user: number | undefined, options: JobOptions, mode: LockMode = 'exclusive') {
    // Single exchanges carry statements of the stack's own services only.
    const checked = mode === 'pipelined' ? bytes : refuseOtherDatabases(bytes)
    return engine.post({ kind: 'exchange', bytes: checked, ...(user === undefined ? {} : { user }) }, options)
  }
  const sessionsOf = (user?: number): Readonly<Record<LockMode, Session>> => ({
    exclusive: session(options.statementLimit, 'exclusive', user),
    pipelined: session(options.statementLimit, 'pipelined', user),
  })
  const ownSessions = sessionsOf()

  const users = new UserSessions(sessionsOf)

  /** The session for a turn that has begun. */
  function sessionOf(user: string | undefined, mode: LockMode): Session {
    const sessions = user === undefined ? ownSessions : users.get(user)
    // The engine was reopened after the user was looked up.
    if (!sessions) throw engineLost('The database engine was restarted')
    return sessions[mode]
  }

  async function inTurn<T>(mode: LockMode, work: (session: Session) => Promise<T>, user?: string): Promise<T> {
    if (user !== undefined && !users.get(user))
      await withMultiUserSession(options.statementLimit, (one) => users.add(user, one))
    return sessionLock.enter(mode, () => work(sessionOf(user, mode)))
  }

  const multiUserSession = (limit: number | null): MultiUserSession => ({
    ...session(limit),
    // A statement that resets the session must not be ended by a timeout of the user before.
    exchange: (bytes) => exchange(bytes, undefined, { limit, ignoresTimeout: true }),
    exchangeAs: (user, bytes) => exchange(bytes, user, { limit }),
  })

  /** Lends the session for work whose exchanges name their user.
   *  @throws 0A000 when the session cannot be authenticated as another user. */
  const withMultiUserSession = <T>(limit: number | null, work: (session: MultiUserSession) => Promise<T>): Promise<T> =>
    sessionLock.enter('exclusive', async () => {
      if (!(await engine.worker()).canAuthenticate) throw engineCannotAuthenticate()
      return work(multiUserSession(limit))
    })

  const as = <T>(user: string, limit: number | null, work: (session: Session) => Promise<T>): Promise<T> =>
    withMultiUserSession(limit, (one) => asUser(user, one, work))

  return {
    isSuperuser: true,
    callerShare: CALLER_SHARE,
    waitLimit: options.waitLimit,
    // Pipelined: these exchanges do not wait for each other's responses, so the worker always has the next one.
    exchangeOnce: (work, { user }) => inTurn('pipelined', work, user),
    withSession: (work, user) => inTurn('exclusive', work, user),
    withSessionOf: (user, work) => as(user, options.statementLimit, work),
    withProjectSession: (work) => as(PROJECT_USER, null, work),
    runListen: (script) => inTurn('exclusive', (one) => runScript(one, script)),
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
    async dump(path) {
      await sessionLock.enter('exclusive', async () => {
        // Without a checkpoint an engine that opens the snapshot would recover from the log, and every sequence would skip 32
        // numbers.
        await runScript(session(null), 'checkpoint')
        await engine.post({ kind: 'dump', path }, { limit: null })
      })
    },
    replace: (snapshot) => sessionLock.enter('exclusive', () => engine.replace(snapshot)),
    memory: async () => (await engine.worker()).memory(),
    close: () => sessionLock.enter('exclusive', () => engine.close()),
  }
}
