import type { PGlite } from '@electric-sql/pglite'
import type { JobCounter } from './job-counter.ts'

/** The engine's memory, and where Postgres keeps what an interrupt needs. */
export type InterruptPlaces = {
  readonly memory: WebAssembly.Memory
  /** `InterruptPending` and `QueryCancelPending` (globals.c): Postgres looks at the first everywhere where it can stop. */
  readonly interruptPending: number
  readonly cancelPending: number
  /** `MyLatch`: a pointer to the latch that a waiting statement (pg_sleep) sleeps on. */
  readonly latch: number
}

/** The address of the entry for STATEMENT_TIMEOUT in `all_timeouts` (timeout.c) in the memory of this build of PGlite, which does not
 *  export it. The entry is: index (4 bytes), active (1), indicator (1), 2 free, handler (4), 4 free, start and end (8 each). */
const TIMER = 2_995_448
const ACTIVE = TIMER + 4
const INDICATOR = TIMER + 5
const START = TIMER + 16
const END = TIMER + 24
const STATEMENT_TIMEOUT = 3

/** Milliseconds from 1970 to 2000, where Postgres' timestamps begin. */
const POSTGRES_EPOCH = 946_684_800_000n

/** The addresses of variables that PGlite exports for extensions; its types leave them out. */
type Exported = {
  readonly _InterruptPending?: number
  readonly _QueryCancelPending?: number
  readonly _MyLatch?: number
}

/** Runs a script. */
type Run = (script: string) => unknown

/** Worker: finds where to interrupt statements of this engine.
 *  @returns null when the variables are not at the expected addresses, as with another build of PGlite. */
export function findInterruptPlaces({ Module }: PGlite, run: Run): InterruptPlaces | null {
  const { _InterruptPending, _QueryCancelPending, _MyLatch } = Module as unknown as Exported
  const { wasmMemory: memory } = Module
  if (!(memory.buffer instanceof SharedArrayBuffer) || !_InterruptPending || !_QueryCancelPending || !_MyLatch)
    return null
  // The second statement begins with the timeout that the first has set.
  run(`set statement_timeout = ${PROBE}`)
  run('reset statement_timeout')
  const view = new DataView(memory.buffer)
  const timeout = view.getBigInt64(END, true) - view.getBigInt64(START, true)
  if (view.getInt32(TIMER, true) !== STATEMENT_TIMEOUT || timeout !== BigInt(PROBE) * 1000n) return null
  return { memory, interruptPending: _InterruptPending, cancelPending: _QueryCancelPending, latch: _MyLatch }
}

/** Milliseconds that no other timeout is likely to have. */
const PROBE = 1_234_567_891

/** Worker: removes an interrupt that came too late for its statement, before the next one begins. */
export function clearInterrupt({ memory, cancelPending }: InterruptPlaces): void {
  Atomics.store(new Int32Array(memory.buffer), cancelPending >> 2, 0)
}

/** Main thread: interrupts the statement that runs in the worker, as the signals do that a server's processes send each other.
 *  Postgres then ends the statement itself, so that nothing but the statement's own work is undone. */
export class StatementInterrupts {
  readonly #places: InterruptPlaces
  readonly #jobs: JobCounter
  readonly #words: Int32Array
  readonly #flags: Uint8Array
  readonly #times: BigInt64Array
  /** The end of the timeout that ended a statement last: it does so once, even if the statement continues. */
  #lastEnd = 0n

  constructor(places: InterruptPlaces, jobs: JobCounter) {
    this.#places = places
    this.#jobs = jobs
    // These views stay valid when the memory grows.
    this.#words = new Int32Array(places.memory.buffer)
    this.#flags = new Uint8Array(places.memory.buffer)
    this.#times = new BigInt64Array(places.memory.buffer)
  }

  /** The bytes of the engine's memory. */
  get memorySize(): number {
    return this.#places.memory.buffer.byteLength
  }

  /** Cancels the statement, with the error of a statement timeout.
   *  @param job The number of the job that the statement belongs to.
   *  @returns false when this job does not run. */
  timeOut(job: number): boolean {
    return this.#jobs.whileRunning(job, () => {
      this.#flags[INDICATOR] = 1
      this.#interrupt()
    })
  }

  /** Cancels the statement if its own `statement_timeout` is over. */
  timeOutIfOverdue(job: number): void {
    this.#jobs.whileRunning(job, () => {
      const end = Atomics.load(this.#times, END / 8)
      const now = (BigInt(Date.now()) - POSTGRES_EPOCH) * 1000n
      if (Atomics.load(this.#flags, ACTIVE) === 0 || end > now || end === this.#lastEnd) return
      this.#lastEnd = end
      this.#flags[INDICATOR] = 1
      this.#interrupt()
    })
  }

  #interrupt(): void {
    const { cancelPending, interruptPending, latch } = this.#places
    Atomics.store(this.#words, cancelPending >> 2, 1)
    Atomics.store(this.#words, interruptPending >> 2, 1)
    Atomics.store(this.#words, (this.#words[latch >> 2] as number) >> 2, 1)
  }
}
