import type { DatabaseError } from 'pg-protocol'
import { engineBusy, waitCancelled } from '../protocol/errors.ts'
import { type Caller, type LongWait, Turn } from './turn.ts'

/** `exclusive` waits for its turn and keeps everybody else out until it ends; `pipelined` enters and lets others follow at once. */
export type LockMode = 'exclusive' | 'pipelined'

/** How long a caller waits for its turn. */
export type WaitOptions = {
  /** Left out by services of the stack. */
  readonly caller?: Caller
  /** Ends the wait when it is aborted (57014). */
  readonly signal?: AbortSignal
  /** Limits in addition to that of the lock; the shortest ends the wait. */
  readonly limits?: readonly WaitLimit[]
}

export type WaitLimit = { readonly milliseconds: number; readonly error: () => DatabaseError }

type Waiter = { readonly mode: LockMode; readonly enter: () => void }

/** Milliseconds after which a wait is long. */
const LONG_WAIT = 1_000

/** Grants turns at the only session, first come, first served. */
export class SessionLock {
  readonly #waiters: Waiter[] = []
  readonly #limit: WaitLimit
  readonly #onLongWait: (wait: LongWait) => void
  #turn: Turn | null = null

  /** @param waitLimit Milliseconds after which a waiter gets an error, so that a client that never ends its transaction cannot
   *    block everybody else for ever.
   *  @param onLongWait Called once for each turn of a client that somebody waits long for. */
  constructor(waitLimit: number, onLongWait: (wait: LongWait) => void = () => undefined) {
    this.#onLongWait = onLongWait
    this.#limit = { milliseconds: waitLimit, error: () => engineBusy(waitLimit, this.#turn?.holder ?? null) }
  }

  /** Calls `work` in its turn.
   *  @throws 55P03 when the turn does not come in time. */
  enter<T>(mode: LockMode, work: () => Promise<T>, { caller, signal, limits = [] }: WaitOptions = {}): Promise<T> {
    return new Promise((resolve, reject) => {
      const go = (): void => {
        if (mode === 'exclusive') this.#turn = new Turn(caller)
        begin(work)
          .then(resolve, reject)
          .finally(() => mode === 'exclusive' && this.#release())
      }
      if (!this.#turn && this.#waiters.length === 0) return go()
      const leave = (): void => {
        stopWatching()
        signal?.removeEventListener('abort', cancel)
      }
      const giveUp = (error: DatabaseError): void => {
        leave()
        this.#waiters.splice(this.#waiters.indexOf(waiter), 1)
        reject(error)
      }
      const cancel = () => giveUp(waitCancelled())
      const shortest = limits.reduce((a, b) => (b.milliseconds < a.milliseconds ? b : a), this.#limit)
      const stopWatching = this.#watchWait(shortest.milliseconds, caller, () => giveUp(shortest.error()))
      signal?.addEventListener('abort', cancel)
      const waiter: Waiter = {
        mode,
        enter() {
          leave()
          go()
        },
      }
      this.#waiters.push(waiter)
    })
  }

  /** Reports a long wait for one turn, and ends the wait after `limit` milliseconds.
   *  @returns a function that stops both. */
  #watchWait(limit: number, caller: Caller | undefined, end: () => void): () => void {
    const begun = performance.now()
    let reported: Turn | null = null
    let timer: NodeJS.Timeout
    const checkIn = (milliseconds: number): void => {
      timer = setTimeout(check, milliseconds)
      timer.unref()
    }
    const check = (): void => {
      const now = performance.now()
      const left = begun + limit - now
      // Timers may fire a millisecond early.
      if (left <= 1) {
        end()
        return
      }
      const turn = this.#turn
      const waited = now - Math.max(begun, turn?.begun ?? now)
      if (turn && turn !== reported && waited >= LONG_WAIT - 1) {
        reported = turn
        const wait = turn.tellOfWait(caller)
        if (wait) this.#onLongWait(wait)
      }
      checkIn(Math.min(left, turn === reported ? LONG_WAIT : LONG_WAIT - waited))
    }
    checkIn(Math.min(limit, LONG_WAIT))
    return () => clearTimeout(timer)
  }

  #release(): void {
    this.#turn = null
    while (!this.#turn) {
      const next = this.#waiters.shift()
      if (!next) return
      next.enter()
    }
  }
}

/** Work that throws at once has failed like any other: the lock must be released all the same. */
function begin<T>(work: () => Promise<T>): Promise<T> {
  try {
    return work()
  } catch (error) {
    return Promise.reject(error)
  }
}
