import { rm } from 'node:fs/promises'
import type { Worker } from 'node:worker_threads'
import type { Notification } from '../db.ts'
import { PROJECT_USER } from '../engine-user.ts'
import { engineCannotAuthenticate, engineLost, engineUnavailable, statementTimeout } from '../protocol/errors.ts'
import { readAsyncMessages } from '../protocol/frames.ts'
import { PreparedStatements } from '../protocol/prepared-statements.ts'
import { runScript } from '../protocol/run-script.ts'
import type { Engine, Session } from '../session.ts'
import { JobCounter } from './job-counter.ts'
import type { Job, JobsMessage, OpenMessage, OpenOptions, Reply, WorkerMessage } from './messages.ts'
import { refuseOtherDatabases } from './one-database.ts'
import { type LockMode, SessionLock, type WaitOptions } from './session-lock.ts'
import { StatementInterrupts } from './statement-interrupts.ts'
import { explainTimeout } from './timeout-hint.ts'
import type { LongWait } from './turn.ts'
import { asUser, type ExchangeOptions, type MultiUserSession, UserSessions } from './user-sessions.ts'
import { createWorker, shareProgram } from './workers.ts'

/** Work of one caller that is sent to the worker before the answers of earlier work: what others wait for at most. */
const CALLER_SHARE = 3

/** PGlite: an engine with one session, in a worker thread. */
export type EmbeddedEngine = Engine & {
  /** Lends the session like `withSession`, for clients that logged in; each exchange names its user.
   *  @throws 0A000 when the session cannot be authenticated as another user. */
  withMultiUserSession<T>(work: (session: MultiUserSession) => Promise<T>, wait?: WaitOptions): Promise<T>
  /** Calls a handler once for each turn of a client that somebody waits for longer than a second. */
  onLongWait(handler: (wait: LongWait) => void): () => void
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

type Pending = {
  readonly kind: Job['kind']
  /** The how-manieth job of the worker it is. */
  readonly number: number
  readonly limit: number | null
  readonly signal: AbortSignal | undefined
  readonly ignoresTimeout: boolean
  readonly processId: number | undefined
  isCancelled: boolean
  /** Whether it was cancelled because of `limit`. */
  isTimedOut: boolean
  readonly resolve: (bytes: Uint8Array) => void
  readonly reject: (error: Error) => void
}

type PostOptions = {
  readonly limit: number | null
  readonly mode?: LockMode
} & ExchangeOptions

/** A failed attempt to open the engine, and how to prepare the next one. */
type Outage = { readonly error: Error; readonly at: number; readonly prepare: () => Promise<string | null> }

/** A worker whose cluster is open, and the number of jobs that were posted to it. */
type OpenWorker = {
  readonly worker: Worker
  readonly jobs: JobCounter
  readonly canAuthenticate: boolean
  /** Null when statements cannot be interrupted, and when the worker is ended: it keeps the worker's memory in use. */
  interrupts: StatementInterrupts | null
  posted: number
}

/** Milliseconds between attempts to reopen the engine. */
const RETRY_INTERVAL = 1_000
/** Milliseconds between two looks at a job that runs: whether its client cancelled it, or its own timeout is over. */
const SUPERVISION_INTERVAL = 20
/** Milliseconds that a cancelled statement has to end. Statements that run no code of Postgres, such as a request of the extension
 *  `http`, end later. */
const CANCEL_LIMIT = 5_000

/** Opens PGlite in a worker thread.
 *  @throws {Error} when the data directory cannot be opened. */
export async function openEngine(options: EngineOptions): Promise<EmbeddedEngine> {
  const onLongWait = new Set<(wait: LongWait) => void>()
  const sessionLock = new SessionLock(options.waitLimit, (wait) => {
    for (const handler of onLongWait) handler(wait)
  })
  const onNotification = new Set<(notification: Notification) => void>()
  const onReopened = new Set<() => void>()
  const prepared = new PreparedStatements()
  // In the order in which the worker answers.
  const pending: Pending[] = []
  let unsent: Job[] = []
  const { isShortLived = false } = options
  let opened = await startWorker(options, isShortLived)
  let watchdog: NodeJS.Timeout | undefined
  let reopening: Promise<void> | null = null
  let outage: Outage | null = null
  let closed = false
  // The snapshot that a cluster in memory begins from when the engine is reopened.
  let memorySnapshot = options.folder ? null : options.snapshot
  listenToWorker(opened.worker)

  function listenToWorker(started: Worker): void {
    started.on('message', (message: WorkerMessage) => message.kind === 'replies' && settlePending(message.replies))
    started.on('error', (error) => reopenAfterLoss(started, `The database engine stopped: ${error.message}`))
    started.on('exit', () => reopenAfterLoss(started, 'The database engine stopped'))
  }

  function settlePending(replies: readonly Reply[]): void {
    for (const reply of replies) {
      const oldest = pending.shift()
      const fatalError =
        reply.kind === 'failed'
          ? reply.message
          : oldest?.kind === 'exchange'
            ? deliverAsyncMessages(reply.bytes, oldest.processId)
            : null
      if (reply.kind === 'failed') oldest?.reject(engineLost(reply.message))
      else oldest?.resolve(oldest.isTimedOut ? explainTimeout(reply.bytes, oldest.limit ?? 0) : reply.bytes)
      // After a failure that is not an error of Postgres the engine would crash or hang at its next statement.
      if (fatalError !== null && oldest?.kind === 'exchange')
        reopenAfterLoss(opened.worker, `The database engine was restarted: ${fatalError}`)
    }
    restartWatchdog()
  }

  /** @param sender The process id of the client whose exchange it was: notifications come in the response to their statement.
   *  @returns the error after which the engine cannot continue, or null. */
  function deliverAsyncMessages(response: Uint8Array, sender: number | undefined): string | null {
    const { notifications, fatalError } = readAsyncMessages(response)
    for (const { processId, ...notification } of notifications)
      for (const handler of onNotification) handler({ ...notification, processId: sender ?? processId })
    return fatalError
  }

  /** Watches the oldest pending job: its time begins when the job before it has ended. */
  function restartWatchdog(): void {
    clearTimeout(watchdog)
    watchdog = undefined
    const oldest = pending[0]
    if (oldest) watch(oldest, performance.now())
  }

  function watch(job: Pending, since: number): void {
    const delay = opened.interrupts ? SUPERVISION_INTERVAL : job.limit
    if (delay === null) return
    watchdog = setTimeout(() => {
      if (endIfNecessary(job, performance.now() - since)) watch(job, since)
    }, delay)
    watchdog.unref()
  }

  /** @returns false when the engine had to be terminated. */
  function endIfNecessary(job: Pending, elapsed: number): boolean {
    const { interrupts } = opened
    const left = job.limit === null ? Number.POSITIVE_INFINITY : job.limit - elapsed
    if (left <= (interrupts ? -CANCEL_LIMIT : 0)) {
      pending.shift()?.reject(statementTimeout(job.limit ?? 0))
      reopenAfterLoss(opened.worker, 'The database engine was restarted because another statement did not end')
      return false
    }
    if (!job.ignoresTimeout) interrupts?.timeOutIfOverdue(job.number)
    if (job.signal?.aborted && !job.isCancelled) job.isCancelled = interrupts?.cancel(job.number) ?? false
    if (left <= 0 && !job.isTimedOut) job.isTimedOut = interrupts?.timeOut(job.number) ?? false
    return true
  }

  function reopenAfterLoss(lost: Worker, reason: string): void {
    if (lost !== opened.worker || closed || reopening) return
    // If the engine cannot be opened now, the next request tries again.
    reopen(reason, async () => memorySnapshot).catch(() => undefined)
  }

  function reopen(reason: string, prepare: () => Promise<string | null>): Promise<void> {
    clearTimeout(watchdog)
    unsent = []
    for (const one of pending.splice(0)) one.reject(engineLost(reason))
    opened.interrupts = null
    reopening = opened.worker
      .terminate()
      .then(prepare)
      .then((snapshot) => startWorker({ ...options, snapshot }, isShortLived))
      .then((started) => {
        opened = started
        listenToWorker(started.worker)
        reopening = null
        outage = null
        prepared.clear()
        users.clear()
        for (const handler of onReopened) handler()
      })
      .catch((error: Error) => {
        reopening = null
        outage = { error, at: performance.now(), prepare }
        throw error
      })
    return reopening
  }

  /** @throws {DatabaseError} 57P03 when the engine cannot be opened. */
  async function whenOpen(): Promise<void> {
    if (!reopening && outage && performance.now() - outage.at >= RETRY_INTERVAL)
      reopen(outage.error.message, outage.prepare).catch(() => undefined)
    if (reopening) await reopening.catch(() => undefined)
    if (outage) throw engineUnavailable(outage.error.message)
  }

  async function post(
    job: Job,
    { limit, signal, ignoresTimeout = false, processId }: PostOptions,
  ): Promise<Uint8Array> {
    // Awaited only when necessary, because jobs run in the order in which they are posted.
    if (reopening || outage) await whenOpen()
    if (closed) throw engineLost('The database is closed')
    return new Promise((resolve, reject) => {
      opened.posted = (opened.posted + 1) | 0
      pending.push({
        kind: job.kind,
        number: opened.posted,
        limit,
        signal,
        ignoresTimeout,
        processId,
        isCancelled: false,
        isTimedOut: false,
        resolve,
        reject,
      })
      unsent.push(job)
      // Waking the worker costs more than a small query, so all jobs of this turn of the event loop are sent together.
      if (unsent.length === 1) setImmediate(flush)
    })
  }

  function flush(): void {
    if (unsent.length === 0) return
    const jobs = unsent.map(withOwnBuffer)
    opened.worker.postMessage({ jobs } satisfies JobsMessage)
    unsent = []
    if (!watchdog) restartWatchdog()
  }

  /** @param user The oid of the role that the session is authenticated as; without it the engine's own user. */
  const session = (limit: number | null, mode: LockMode = 'exclusive', user?: number): Session => ({
    prepared,
    exchange: (bytes) => exchange(bytes, user, { limit, mode }),
  })

  function exchange(bytes: Uint8Array, user: number | undefined, options: PostOptions): Promise<Uint8Array> {
    // Single exchanges carry statements of the stack's own services only.
    const checked = options.mode === 'pipelined' ? bytes : refuseOtherDatabases(bytes)
    const { processId } = options
    const as = { ...(user === undefined ? {} : { user }), ...(processId === undefined ? {} : { processId }) }
    return post({ kind: 'exchange', bytes: checked, ...as }, options)
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
    exchangeAs: (user, bytes, exchangeOptions) => exchange(bytes, user, { limit, ...exchangeOptions }),
  })

  function withMultiUserSession<T>(
    limit: number | null,
    work: (session: MultiUserSession) => Promise<T>,
    wait?: WaitOptions,
  ): Promise<T> {
    const authenticated = async () => {
      if (reopening || outage) await whenOpen()
      if (!opened.canAuthenticate) throw engineCannotAuthenticate()
      return work(multiUserSession(limit))
    }
    return sessionLock.enter('exclusive', authenticated, wait)
  }

  const as = <T>(user: string, limit: number | null, work: (session: Session) => Promise<T>): Promise<T> =>
    withMultiUserSession(limit, (one) => asUser(user, one, work))

  return {
    isSuperuser: true,
    callerShare: CALLER_SHARE,
    waitLimit: options.waitLimit,
    // Pipelined: these exchanges do not wait for each other's responses, so the worker always has the next one.
    exchangeOnce: (work, user) => inTurn('pipelined', work, user),
    withSession: (work, user) => inTurn('exclusive', work, user),
    withSessionOf: (user, work) => as(user, options.statementLimit, work),
    withProjectSession: (work) => as(PROJECT_USER, null, work),
    withMultiUserSession: (work, wait) => withMultiUserSession(options.statementLimit, work, wait),
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
    onLongWait(handler) {
      onLongWait.add(handler)
      return () => onLongWait.delete(handler)
    },
    async dump(path) {
      await sessionLock.enter('exclusive', async () => {
        // Without a checkpoint an engine that opens the snapshot would recover from the log, and every sequence would skip 32
        // numbers.
        await runScript(session(null), 'checkpoint')
        await post({ kind: 'dump', path }, { limit: null })
      })
    },
    replace: (snapshot) =>
      sessionLock.enter('exclusive', () =>
        reopen('The database was reset', async () => {
          if (!options.folder) memorySnapshot = snapshot
          if (options.folder) await rm(options.folder, { recursive: true, force: true })
          return snapshot
        }),
      ),
    async memory() {
      const { total_heap_size, external_memory } = await opened.worker.getHeapStatistics()
      // Memory that is shared with this thread does not count as the worker's.
      return total_heap_size + external_memory + (opened.interrupts?.memorySize ?? 0)
    },
    async close() {
      if (closed) return
      await reopening?.catch(() => undefined)
      await sessionLock.enter('exclusive', async () => {
        // A cluster on disk is shut down cleanly; one in memory is discarded.
        const done = options.folder && !outage ? post({ kind: 'close' }, { limit: null }) : Promise.resolve()
        closed = true
        await done
        clearTimeout(watchdog)
        opened.interrupts = null
        await opened.worker.terminate()
        for (const one of pending.splice(0)) one.reject(engineLost('The database is closed'))
      })
    },
  }
}

/** Copies a job's bytes into a buffer of their own: a small Buffer is part of a pool of 64 KB, and structured clone would copy the
 *  whole pool. */
const withOwnBuffer = (job: Job): Job => (job.kind === 'exchange' ? { ...job, bytes: new Uint8Array(job.bytes) } : job)

function startWorker({ folder, snapshot, isDurable = false }: OpenOptions, isShortLived: boolean): Promise<OpenWorker> {
  const worker = createWorker({ isShortLived })
  const jobs = new JobCounter()
  worker.postMessage({ folder, snapshot, isDurable, begun: jobs.numbers } satisfies OpenMessage)
  return new Promise((resolve, reject) => {
    worker.once('error', reject)
    worker.once('message', (message: WorkerMessage) => {
      worker.off('error', reject)
      if (message.kind === 'ready') {
        shareProgram({ isShortLived }, message.program)
        const { canAuthenticate, interruptPlaces } = message
        const interrupts = interruptPlaces && new StatementInterrupts(interruptPlaces, jobs)
        return resolve({ worker, jobs, canAuthenticate, interrupts, posted: 0 })
      }
      const reason = message.kind === 'unopened' ? message.message : message.kind
      worker.terminate().then(() => reject(new Error(`The database could not be opened: ${reason}`)), reject)
    })
  })
}
