import { engineBusy } from '../protocol/errors.ts'

/** `exclusive` waits for its turn and keeps everybody else out until it ends; `pipelined` enters and lets others follow at once. */
export type LockMode = 'exclusive' | 'pipelined'

type Waiter = { readonly mode: LockMode; readonly enter: () => void; readonly timer: NodeJS.Timeout | undefined }

/** Grants turns at the only session, first come, first served. */
export class SessionLock {
  readonly #waiters: Waiter[] = []
  readonly #waitLimit: number
  #taken = false

  /** @param waitLimit Milliseconds after which a waiter gets an error, so that a client that never ends its transaction cannot
   *    block everybody else for ever. */
  constructor(waitLimit: number) {
    this.#waitLimit = waitLimit
  }

  /** Calls `work` in its turn.
   *  @throws 55P03 when the turn does not come in time. */
  enter<T>(mode: LockMode, work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const go = (): void => {
        if (mode === 'exclusive') this.#taken = true
        work()
          .then(resolve, reject)
          .finally(() => mode === 'exclusive' && this.#release())
      }
      if (!this.#taken && this.#waiters.length === 0) return go()
      const waiter: Waiter = {
        mode,
        enter: go,
        timer: setTimeout(() => {
          this.#waiters.splice(this.#waiters.indexOf(waiter), 1)
          reject(engineBusy(this.#waitLimit))
        }, this.#waitLimit),
      }
      waiter.timer?.unref()
      this.#waiters.push(waiter)
    })
  }

  #release(): void {
    this.#taken = false
    while (!this.#taken) {
      const next = this.#waiters.shift()
      if (!next) return
      clearTimeout(next.timer)
      next.enter()
    }
  }
}
