import { engineBusy } from './errors.ts'

type Waiter = { readonly alone: boolean; readonly go: () => void; readonly timer: NodeJS.Timeout | undefined }

/** First come, first served: passers go through at once, one who goes alone keeps everybody out until it leaves. */
export class Turnstile {
  readonly #waiters: Waiter[] = []
  readonly #waitLimit: number
  #taken = false

  /** @param waitLimit Milliseconds after which a waiter is turned away, so that a client that never ends its
   *  transaction cannot hold up everybody else for ever. */
  constructor(waitLimit: number) {
    this.#waitLimit = waitLimit
  }

  /** Calls `work` in turn; its whole duration counts only when it goes alone.
   *  @throws 55P03 when the turn does not come in time. */
  enter<T>(alone: boolean, work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const go = (): void => {
        if (alone) this.#taken = true
        work()
          .then(resolve, reject)
          .finally(() => alone && this.#leave())
      }
      if (!this.#taken && this.#waiters.length === 0) return go()
      const waiter: Waiter = {
        alone,
        go,
        timer: setTimeout(() => {
          this.#waiters.splice(this.#waiters.indexOf(waiter), 1)
          reject(engineBusy(this.#waitLimit))
        }, this.#waitLimit),
      }
      waiter.timer?.unref()
      this.#waiters.push(waiter)
    })
  }

  #leave(): void {
    this.#taken = false
    while (!this.#taken) {
      const next = this.#waiters.shift()
      if (!next) return
      clearTimeout(next.timer)
      next.go()
    }
  }
}
