import { rm } from 'node:fs/promises'
import { engineLost, engineUnavailable } from '../protocol/errors.ts'
import { EngineWorker, type JobOptions, type WorkerEvents } from './engine-worker.ts'
import type { Job, OpenOptions } from './messages.ts'

/** Prepares the next attempt to open the engine.
 *  @returns the snapshot that it begins from. */
type Prepare = () => Promise<string | null>

type State =
  | { readonly kind: 'running'; readonly worker: EngineWorker }
  | { readonly kind: 'reopening'; readonly end: Promise<void> }
  | { readonly kind: 'failed'; readonly error: Error; readonly at: number; readonly prepare: Prepare }
  | { readonly kind: 'closed' }

type Options = OpenOptions & { readonly isShortLived?: boolean }
type Events = Pick<WorkerEvents, 'onNotification'> & {
  /** The engine has begun again: nothing is left of its session. */
  onReopened(): void
}

/** Milliseconds between attempts to reopen the engine. */
const RETRY_INTERVAL = 1_000

/** Keeps an engine open: when its worker is lost, another one takes its place. */
export class EngineSupervisor {
  #state: State
  readonly #options: Options
  readonly #events: Events & WorkerEvents
  /** The snapshot that a cluster in memory begins from when the engine is reopened. */
  #memorySnapshot: string | null

  private constructor(options: Options, worker: EngineWorker, events: Events & WorkerEvents) {
    this.#options = options
    this.#memorySnapshot = options.folder ? null : options.snapshot
    this.#state = { kind: 'running', worker }
    this.#events = events
  }

  /** @throws {Error} when the data directory cannot be opened. */
  static async open(options: Options, { onNotification, onReopened }: Events): Promise<EngineSupervisor> {
    const events = {
      onNotification,
      onReopened,
      onLost: (worker: EngineWorker, reason: string) => supervisor.#replaceLost(worker, reason),
    }
    const worker = await EngineWorker.start(options, options.isShortLived ?? false, events)
    const supervisor = new EngineSupervisor(options, worker, events)
    return supervisor
  }

  /** @throws {DatabaseError} 57P01 when the engine is lost meanwhile or closed, 57P03 when it cannot be opened. */
  async post(job: Job, options: JobOptions): Promise<Uint8Array> {
    // Awaited only when necessary, because jobs run in the order in which they are posted.
    const worker = this.#state.kind === 'running' ? this.#state.worker : await this.worker()
    return worker.post(job, options)
  }

  /** The worker, as soon as one is open.
   *  @throws {DatabaseError} 57P01 when the engine is closed, 57P03 when it cannot be opened. */
  async worker(): Promise<EngineWorker> {
    const state = this.#state
    if (state.kind === 'failed' && performance.now() - state.at >= RETRY_INTERVAL)
      this.#reopen(state.error.message, state.prepare).catch(() => undefined)
    if (this.#state.kind === 'reopening') await this.#state.end.catch(() => undefined)
    switch (this.#state.kind) {
      case 'running':
        return this.#state.worker
      case 'reopening':
        return this.worker()
      case 'failed':
        throw engineUnavailable(this.#state.error.message)
      case 'closed':
        throw engineLost('The database is closed')
    }
  }

  /** Replaces the data by a snapshot file, and reopens the engine. */
  async replace(snapshot: string): Promise<void> {
    const { folder } = this.#options
    if (this.#state.kind === 'reopening') await this.#state.end.catch(() => undefined)
    return this.#reopen('The database was reset', async () => {
      if (folder) await rm(folder, { recursive: true, force: true })
      else this.#memorySnapshot = snapshot
      return snapshot
    })
  }

  /** Shuts down a cluster on disk cleanly; one in memory is discarded. Called when nobody uses the session. */
  async close(): Promise<void> {
    if (this.#state.kind === 'reopening') await this.#state.end.catch(() => undefined)
    const state = this.#state
    const done =
      state.kind === 'running' && this.#options.folder ? state.worker.post({ kind: 'close' }, { limit: null }) : null
    this.#transition({ kind: 'closed' })
    await done
    if (state.kind === 'running') await state.worker.end('The database is closed')
  }

  #replaceLost(lost: EngineWorker, reason: string): void {
    if (this.#state.kind !== 'running' || this.#state.worker !== lost) return
    // If the engine cannot be opened now, the next request tries again.
    this.#reopen(reason, async () => this.#memorySnapshot).catch(() => undefined)
  }

  #reopen(reason: string, prepare: Prepare): Promise<void> {
    const before = this.#state
    const end = this.#restart(before, reason, prepare)
    this.#transition({ kind: 'reopening', end })
    return end
  }

  async #restart(before: State, reason: string, prepare: Prepare): Promise<void> {
    try {
      if (before.kind === 'running') await before.worker.end(reason)
      const { isShortLived = false } = this.#options
      const snapshot = await prepare()
      const worker = await EngineWorker.start({ ...this.#options, snapshot }, isShortLived, this.#events)
      this.#transition({ kind: 'running', worker })
    } catch (thrown) {
      const error = thrown instanceof Error ? thrown : new Error(String(thrown))
      this.#transition({ kind: 'failed', error, at: performance.now(), prepare })
      throw error
    }
  }

  #transition(next: State): void {
    const wasReopening = this.#state.kind === 'reopening'
    this.#state = next
    if (wasReopening && next.kind === 'running') this.#events.onReopened()
  }
}
