import { engineBusy } from '../protocol/errors.ts'

/** `exclusive` waits for its turn and keeps everybody else out until it ends; `pipelined` enters and lets others follow at once. */
export type LockMode = 'exclusive' | 'pipelined'

type Waiter = { readonly mode: LockMode; readonly enter: () => void }

/** Grants turns at the only session, first come, first served. */
export class SessionLock {
  readonly #waiters: Waiter[] = []
  readonly #waitLimit: number
  #isTaken = false

  /** @param waitLimit Milliseconds after which a waiter gets an error, so that work that does not end cannot block all other. */
  constructor(waitLimit: number) {
    this.#waitLimit = waitLimit
  }

  /** Calls `work` in its turn.
   *  @throws 55P03 when the turn does not come in time. */
  enter<T>(mode: LockMode, work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const go = (): void => {
        if (mode === 'exclusive') this.#isTaken = true
        begin(work)
          .then(resolve, reject)
          .finally(() => mode === 'exclusive' && this.#release())
      }
      if (!this.#isTaken && this.#waiters.length === 0) return go()
      const timer = setTimeout(() => {
        this.#waiters.splice(this.#waiters.indexOf(waiter), 1)
        reject(engineBusy(this.#waitLimit))
      }, this.#waitLimit)
      timer.unref()
      const waiter: Waiter = {
        mode,
        enter() {
          clearTimeout(timer)
          go()
        },
      }
      this.#waiters.push(waiter)
    })
  }

  #release(): void {
    this.#isTaken = false
    while (!this.#isTaken) {
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
