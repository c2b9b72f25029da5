import type { Worker } from 'node:worker_threads'
import type { Notification } from '../db.ts'
import { engineLost, statementTimeout } from '../protocol/errors.ts'
import { readAsyncMessages } from '../protocol/frames.ts'
import { JobCounter } from './job-counter.ts'
import type { Job, JobsMessage, OpenMessage, OpenOptions, Reply, WorkerMessage } from './messages.ts'
import { StatementInterrupts } from './statement-interrupts.ts'
import { explainTimeout } from './timeout-hint.ts'
import { createWorker, shareProgram } from './workers.ts'

export type JobOptions = {
  /** Milliseconds that the job may run; null for as long as it takes. */
  readonly limit: number | null
  /** Whether the session's own `statement_timeout` has no effect. */
  readonly ignoresTimeout?: boolean
}

type Pending = JobOptions & {
  readonly kind: Job['kind']
  /** The how-manieth job of the worker it is. */
  readonly number: number
  /** Whether it was cancelled because of `limit`. */
  isTimedOut: boolean
  readonly resolve: (bytes: Uint8Array) => void
  readonly reject: (error: Error) => void
}

/** What a worker tells of. */
export type WorkerEvents = {
  onNotification(notification: Notification): void
  /** The engine cannot continue, although it may still run. */
  onLost(worker: EngineWorker, reason: string): void
}

/** Milliseconds between two looks at a job that runs: whether its own timeout is over. */
const SUPERVISION_INTERVAL = 20
/** Milliseconds that a cancelled statement has to end. Statements that run no code of Postgres, such as a request of the extension
 *  `http`, end later. */
const CANCEL_LIMIT = 5_000

/** A worker whose cluster is open, and the jobs that it was given. */
export class EngineWorker {
  readonly canAuthenticate: boolean
  readonly #worker: Worker
  readonly #events: WorkerEvents
  /** Null when statements cannot be interrupted, and when the worker is ended: it keeps the worker's memory in use. */
  #interrupts: StatementInterrupts | null
  #posted = 0
  /** In the order in which the worker answers. */
  readonly #pending: Pending[] = []
  #unsent: Job[] = []
  #watchdog: NodeJS.Timeout | undefined

  private constructor(
    worker: Worker,
    jobs: JobCounter,
    { canAuthenticate, interruptPlaces }: Extract<WorkerMessage, { kind: 'ready' }>,
    events: WorkerEvents,
  ) {
    this.canAuthenticate = canAuthenticate
    this.#worker = worker
    this.#events = events
    this.#interrupts = interruptPlaces && new StatementInterrupts(interruptPlaces, jobs)
    worker.on('message', (message: WorkerMessage) => message.kind === 'replies' && this.#settle(message.replies))
    worker.on('error', (error) => events.onLost(this, `The database engine stopped: ${error.message}`))
    worker.on('exit', () => events.onLost(this, 'The database engine stopped'))
  }

  /** Opens a cluster in a worker thread.
   *  @throws {Error} when it cannot be opened. */
  static start({ folder, snapshot }: OpenOptions, isShortLived: boolean, events: WorkerEvents): Promise<EngineWorker> {
    const worker = createWorker({ isShortLived })
    const jobs = new JobCounter()
    worker.postMessage({ folder, snapshot, begun: jobs.numbers } satisfies OpenMessage)
    return new Promise((resolve, reject) => {
      worker.once('error', reject)
      worker.once('message', (message: WorkerMessage) => {
        worker.off('error', reject)
        if (message.kind === 'ready') {
          shareProgram({ isShortLived }, message.program)
          return resolve(new EngineWorker(worker, jobs, message, events))
        }
        const reason = message.kind === 'unopened' ? message.message : message.kind
        worker.terminate().then(() => reject(new Error(`The database could not be opened: ${reason}`)), reject)
      })
    })
  }

  post(job: Job, options: JobOptions): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      this.#posted = (this.#posted + 1) | 0
      const number = this.#posted
      this.#pending.push({ ...options, kind: job.kind, number, isTimedOut: false, resolve, reject })
      this.#unsent.push(job)
      // Waking the worker costs more than a small query, so all jobs of this turn of the event loop are sent together.
      if (this.#unsent.length === 1) setImmediate(() => this.#flush())
    })
  }

  async memory(): Promise<number> {
    const { total_heap_size, external_memory } = await this.#worker.getHeapStatistics()
    // Memory that is shared with this thread does not count as the worker's.
    return total_heap_size + external_memory + (this.#interrupts?.memorySize ?? 0)
  }

  /** Terminates the worker. What it has not answered fails. */
  async end(reason: string): Promise<void> {
    clearTimeout(this.#watchdog)
    this.#unsent = []
    this.#interrupts = null
    for (const one of this.#pending.splice(0)) one.reject(engineLost(reason))
    await this.#worker.terminate()
  }

  #flush(): void {
    if (this.#unsent.length === 0) return
    const jobs = this.#unsent.map(withOwnBuffer)
    this.#worker.postMessage({ jobs } satisfies JobsMessage)
    this.#unsent = []
    if (!this.#watchdog) this.#restartWatchdog()
  }

  #settle(replies: readonly Reply[]): void {
    for (const reply of replies) {
      const oldest = this.#pending.shift()
      const fatalError =
        reply.kind === 'failed'
          ? reply.message
          : oldest?.kind === 'exchange'
            ? this.#deliverAsyncMessages(reply.bytes)
            : null
      if (reply.kind === 'failed') oldest?.reject(engineLost(reply.message))
      else oldest?.resolve(oldest.isTimedOut ? explainTimeout(reply.bytes, oldest.limit ?? 0) : reply.bytes)
      // After a failure that is not an error of Postgres the engine would crash or hang at its next statement.
      if (fatalError !== null && oldest?.kind === 'exchange')
        this.#events.onLost(this, `The database engine was restarted: ${fatalError}`)
    }
    this.#restartWatchdog()
  }

  /** Notifications come in the response to their statement.
   *  @returns the error after which the engine cannot continue, or null. */
  #deliverAsyncMessages(response: Uint8Array): string | null {
    const { notifications, fatalError } = readAsyncMessages(response)
    for (const notification of notifications) this.#events.onNotification(notification)
    return fatalError
  }

  /** Watches the oldest pending job: its time begins when the job before it has ended. */
  #restartWatchdog(): void {
    clearTimeout(this.#watchdog)
    this.#watchdog = undefined
    const oldest = this.#pending[0]
    if (oldest) this.#watch(oldest, performance.now())
  }

  #watch(job: Pending, since: number): void {
    const delay = this.#interrupts ? SUPERVISION_INTERVAL : job.limit
    if (delay === null) return
    this.#watchdog = setTimeout(() => {
      if (this.#endIfNecessary(job, performance.now() - since)) this.#watch(job, since)
    }, delay)
    this.#watchdog.unref()
  }

  /** @returns false when the engine had to be given up. */
  #endIfNecessary(job: Pending, elapsed: number): boolean {
    const interrupts = this.#interrupts
    const left = job.limit === null ? Number.POSITIVE_INFINITY : job.limit - elapsed
    if (left <= (interrupts ? -CANCEL_LIMIT : 0)) {
      this.#pending.shift()?.reject(statementTimeout(job.limit ?? 0))
      this.#events.onLost(this, 'The database engine was restarted because another statement did not end')
      return false
    }
    if (!job.ignoresTimeout) interrupts?.timeOutIfOverdue(job.number)
    if (left <= 0 && !job.isTimedOut) job.isTimedOut = interrupts?.timeOut(job.number) ?? false
    return true
  }
}

/** Copies a job's bytes into a buffer of their own: a small Buffer is part of a pool of 64 KB, and structured clone would copy the
 *  whole pool. */
const withOwnBuffer = (job: Job): Job => (job.kind === 'exchange' ? { ...job, bytes: new Uint8Array(job.bytes) } : job)
