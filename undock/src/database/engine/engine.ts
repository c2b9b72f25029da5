import { rm } from 'node:fs/promises'
import type { Worker } from 'node:worker_threads'
import type { Notification } from '../db.ts'
import { runScript } from '../script.ts'
import type { Engine, Session } from '../session.ts'
import { ENGINE_USER } from './engine-user.ts'
import { engineDown, engineLost, statementTimeout } from './errors.ts'
import { readAsides } from './frames.ts'
import { Mailbox } from './mailbox.ts'
import type { FromWorker, Job, Opening, OpenOptions, Reply, ToWorker } from './messages.ts'
import { PreparedStatements } from './prepared.ts'
import { Solitude } from './solitude.ts'
import { shareProgram, takeWorker } from './spare-worker.ts'
import { Turnstile } from './turnstile.ts'

/** PGlite: one session, in a worker thread. */
export type EmbeddedEngine = Engine & {
  /** Writes a tar of the whole data directory to a file. */
  dump(path: string): Promise<void>
  /** Begins anew from a snapshot's file; those who hold state of the session are told by `onReopened`. */
  replace(snapshot: string): Promise<void>
  /** Bytes that its thread uses: Postgres' memory, what it has compiled, and a cluster that is kept in memory. */
  memory(): Promise<number>
}

export type EngineOptions = OpenOptions & {
  /** Milliseconds one exchange may run. The engine can neither cancel a statement nor time it out by itself, so it
   *  is watched from here. */
  readonly statementLimit: number
  /** Milliseconds a request waits for its turn. */
  readonly waitLimit: number
  /** See `WorkerOptions`. One that works for another engine of the same process is of that one's kind: programs are the
   *  same for all of a process. */
  readonly isBrief?: boolean
}

type Pending = {
  readonly kind: Job['kind']
  readonly limit: number | null
  readonly resolve: (bytes: Uint8Array) => void
  readonly reject: (error: Error) => void
}

/** An opening that failed, and what it begins from. */
type Outage = { readonly error: Error; readonly at: number; readonly prepare: () => Promise<string | null> }

/** A worker with its cluster open, and how many jobs it was given. */
type Opened = { readonly worker: Worker; readonly mailbox: Mailbox; given: number }

/** Milliseconds between two tries to open what could not be opened. */
const BETWEEN_TRIES = 1_000

/** Opens PGlite in a worker thread.
 *  @throws {Error} when the data directory cannot be opened. */
export async function openEngine(options: EngineOptions): Promise<EmbeddedEngine> {
  const turnstile = new Turnstile(options.waitLimit)
  const onNotification = new Set<(notification: Notification) => void>()
  const onReopened = new Set<() => void>()
  const prepared = new PreparedStatements()
  // In the order in which the worker answers.
  const pending: Pending[] = []
  const solitude = new Solitude()
  let outbox: Job[] = []
  // Whether the worker was last told to.
  let staysAwake = false
  const { isBrief = false } = options
  let opened = await startWorker(options, isBrief)
  let watchdog: NodeJS.Timeout | undefined
  let reopening: Promise<void> | null = null
  let outage: Outage | null = null
  let closed = false
  // What memory begins from when the engine has to be opened again.
  let latest = options.folder ? null : options.snapshot
  attend(opened.worker)

  function attend(started: Worker): void {
    started.on('message', (message: FromWorker) => message.kind === 'replies' && settle(message.replies))
    started.on('error', (error) => lose(started, `The database engine stopped: ${error.message}`))
    started.on('exit', () => lose(started, 'The database engine stopped'))
  }

  function settle(replies: readonly Reply[]): void {
    for (const reply of replies) {
      const head = pending.shift()
      const broken = reply.kind === 'failed' ? reply.message : head?.kind === 'exchange' ? tell(reply.bytes) : null
      if (reply.kind === 'failed') head?.reject(engineLost(reply.message))
      else head?.resolve(reply.bytes)
      // What fails outside of Postgres' own errors leaves an engine that ends or hangs at its next statement.
      if (broken !== null && head?.kind === 'exchange')
        lose(opened.worker, `The database engine was restarted: ${broken}`)
    }
    watchHead()
  }

  /** @returns what broke the engine, or null. */
  function tell(response: Uint8Array): string | null {
    const { notifications, breakdown } = readAsides(response)
    for (const notification of notifications) for (const handler of onNotification) handler(notification)
    return breakdown
  }

  /** The worker runs the head of the queue: its time begins when the one before it was done. */
  function watchHead(): void {
    clearTimeout(watchdog)
    watchdog = undefined
    const head = pending[0]
    if (!head || head.limit === null) return
    const limit = head.limit
    watchdog = setTimeout(() => {
      pending.shift()?.reject(statementTimeout(limit))
      lose(opened.worker, 'The database engine was restarted because another statement did not end')
    }, limit)
    watchdog.unref()
  }

  function lose(lost: Worker, reason: string): void {
    if (lost !== opened.worker || closed || reopening) return
    // What was on disk is there again. If it cannot be opened now, who next asks tries again.
    reopen(reason, async () => latest).catch(() => undefined)
  }

  function reopen(reason: string, prepare: () => Promise<string | null>): Promise<void> {
    clearTimeout(watchdog)
    outbox = []
    for (const one of pending.splice(0)) one.reject(engineLost(reason))
    reopening = opened.worker
      .terminate()
      .then(prepare)
      .then((snapshot) => startWorker({ folder: options.folder, snapshot }, isBrief))
      .then((started) => {
        opened = started
        attend(started.worker)
        reopening = null
        outage = null
        prepared.clear()
        for (const handler of onReopened) handler()
      })
      .catch((error: Error) => {
        reopening = null
        outage = { error, at: performance.now(), prepare }
        throw error
      })
    return reopening
  }

  /** @throws {DatabaseError} 57P03 when it cannot be opened. */
  async function whenOpen(): Promise<void> {
    if (!reopening && outage && performance.now() - outage.at >= BETWEEN_TRIES)
      reopen(outage.error.message, outage.prepare).catch(() => undefined)
    if (reopening) await reopening.catch(() => undefined)
    if (outage) throw engineDown(outage.error.message)
  }

  async function post(job: Job, limit: number | null, isPass = false): Promise<Uint8Array> {
    // Without a turn of the event loop where none is needed: jobs are run in the order in which they are posted.
    if (reopening || outage) await whenOpen()
    if (closed) throw engineLost('The database is closed')
    return new Promise((resolve, reject) => {
      if (isPass) solitude.note(pending.length)
      pending.push({ kind: job.kind, limit, resolve, reject })
      opened.given += 1
      if (isPass && pending.length === 1 && solitude.mayWait && isTaken(job)) return
      outbox.push(job)
      // Waking the worker costs more than a small query: it gets all that this turn of the event loop brings at once.
      if (outbox.length === 1) setImmediate(flush)
    })
  }

  /** @returns whether the worker got the one job there is by way of the mailbox. */
  function isTaken(job: Job): boolean {
    if (job.kind !== 'exchange') return false
    const reply = opened.mailbox.exchange(job.bytes)
    if (reply instanceof Uint8Array) {
      solitude.succeed()
      settle([{ kind: 'done', bytes: reply }])
    } else if (reply === 'later') {
      solitude.fail()
      watchHead()
    } else if (staysAwake) solitude.fail()
    staysAwake = reply !== 'unseen'
    return staysAwake
  }

  function flush(): void {
    if (outbox.length === 0) return
    const jobs = outbox.map(onItsOwn)
    staysAwake = solitude.isBusy
    opened.worker.postMessage({ jobs, staysAwake } satisfies ToWorker)
    opened.mailbox.call()
    outbox = []
    if (!watchdog) watchHead()
  }

  function progress(): () => boolean {
    const { mailbox, given } = opened
    // The number goes on below zero after 2^31 jobs; their distance stays right.
    return () => ((mailbox.begun - given) | 0) >= 0
  }

  const session = (limit: number | null, isPass = false): Session => ({
    prepared,
    progress,
    exchange: (bytes) => post({ kind: 'exchange', bytes }, limit, isPass),
  })
  const limited = session(options.statementLimit)
  const passing = session(options.statementLimit, true)
  const exclusive = <T>(work: (session: Session) => Promise<T>) => turnstile.enter(true, () => work(limited))

  return {
    // These go to the worker without waiting for each other's answers, so that it always has the next one at hand.
    pass: (work) => turnstile.enter(false, () => work(passing)),
    exclusive,
    administer: (work) => turnstile.enter(true, () => asProjectUser(session(null), work)),
    attend: (script) => exclusive((one) => runScript(one, script)),
    // They come along with the answer of the statement that sent them.
    heard: async () => undefined,
    onNotification(handler) {
      onNotification.add(handler)
      return () => onNotification.delete(handler)
    },
    onReopened(handler) {
      onReopened.add(handler)
      return () => onReopened.delete(handler)
    },
    async dump(path) {
      await turnstile.enter(true, async () => {
        // Without it whoever opens the snapshot recovers from the log, after which every sequence goes on 32 numbers later.
        await runScript(session(null), 'checkpoint')
        await post({ kind: 'dump', path }, null)
      })
    },
    replace: (snapshot) =>
      turnstile.enter(true, () =>
        reopen('The database was reset', async () => {
          if (!options.folder) latest = snapshot
          if (options.folder) await rm(options.folder, { recursive: true, force: true })
          return snapshot
        }),
      ),
    async memory() {
      const { total_heap_size, external_memory } = await opened.worker.getHeapStatistics()
      return total_heap_size + external_memory
    },
    async close() {
      if (closed) return
      await reopening?.catch(() => undefined)
      await turnstile.enter(true, async () => {
        // What is in memory only goes anyway; what is on disk is shut down in order.
        const done = options.folder && !outage ? post({ kind: 'close' }, null) : Promise.resolve()
        closed = true
        await done
        clearTimeout(watchdog)
        await opened.worker.terminate()
        for (const one of pending.splice(0)) one.reject(engineLost('The database is closed'))
      })
    },
  }
}

/** A small Buffer is a piece of a pool of 64 KB, all of which would cross over. */
const onItsOwn = (job: Job): Job => (job.kind === 'exchange' ? { ...job, bytes: new Uint8Array(job.bytes) } : job)

async function asProjectUser<T>(session: Session, work: (session: Session) => Promise<T>): Promise<T> {
  try {
    await runScript(session, 'set session authorization postgres')
    return await work(session)
  } finally {
    await runScript(session, 'rollback')
    // RESET SESSION AUTHORIZATION changes nothing in PGlite, naming the user does.
    await runScript(session, `set session authorization ${ENGINE_USER}; reset role; reset all; discard temp`)
  }
}

function startWorker({ folder, snapshot }: OpenOptions, isBrief: boolean): Promise<Opened> {
  const worker = takeWorker({ isBrief })
  const mailbox = new Mailbox()
  worker.postMessage({ folder, snapshot, mailbox: mailbox.memory } satisfies Opening)
  return new Promise((resolve, reject) => {
    worker.once('error', reject)
    worker.once('message', (message: FromWorker) => {
      worker.off('error', reject)
      if (message.kind === 'ready') {
        shareProgram({ isBrief }, message.program)
        return resolve({ worker, mailbox, given: 0 })
      }
      const reason = message.kind === 'unopened' ? message.message : message.kind
      worker.terminate().then(() => reject(new Error(`The database could not be opened: ${reason}`)), reject)
    })
  })
}
