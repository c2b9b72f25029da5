import type { DatabaseError } from 'pg-protocol'
import { engineBusy, waitCancelled } from '../protocol/errors.ts'

/** `exclusive` waits for its turn and keeps everybody else out until it ends; `pipelined` enters and lets others follow at once. */
export type LockMode = 'exclusive' | 'pipelined'

/** How long a caller waits for its turn. */
export type WaitOptions = {
  /** Ends the wait when it is aborted (57014). */
  readonly signal?: AbortSignal
  /** Limits in addition to that of the lock; the shortest ends the wait. */
  readonly limits?: readonly WaitLimit[]
}

export type WaitLimit = { readonly milliseconds: number; readonly error: () => DatabaseError }

type Waiter = { readonly mode: LockMode; readonly enter: () => void }

/** Grants turns at the only session, first come, first served. */
export class SessionLock {
  readonly #waiters: Waiter[] = []
  readonly #limit: WaitLimit
  #taken = false

  /** @param waitLimit Milliseconds after which a waiter gets an error, so that a client that never ends its transaction cannot
   *    block everybody else for ever. */
  constructor(waitLimit: number) {
    this.#limit = { milliseconds: waitLimit, error: () => engineBusy(waitLimit) }
  }

  /** Calls `work` in its turn.
   *  @throws 55P03 when the turn does not come in time. */
  enter<T>(mode: LockMode, work: () => Promise<T>, { signal, limits = [] }: WaitOptions = {}): Promise<T> {
    return new Promise((resolve, reject) => {
      const go = (): void => {
        if (mode === 'exclusive') this.#taken = true
        work()
          .then(resolve, reject)
          .finally(() => mode === 'exclusive' && this.#release())
      }
      if (!this.#taken && this.#waiters.length === 0) return go()
      const leave = (): void => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', cancel)
      }
      const giveUp = (error: DatabaseError): void => {
        leave()
        this.#waiters.splice(this.#waiters.indexOf(waiter), 1)
        reject(error)
      }
      const cancel = () => giveUp(waitCancelled())
      const shortest = limits.reduce((a, b) => (b.milliseconds < a.milliseconds ? b : a), this.#limit)
      const timer = setTimeout(() => giveUp(shortest.error()), shortest.milliseconds)
      timer.unref()
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

  #release(): void {
    this.#taken = false
    while (!this.#taken) {
      const next = this.#waiters.shift()
      if (!next) return
      next.enter()
    }
  }
}
