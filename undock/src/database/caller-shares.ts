import { engineBusy } from './protocol/errors.ts'

type Waiter = { readonly enter: () => void }
type Share = { running: number; readonly waiting: Waiter[] }

/** Gives each caller a part of the sessions, so that one who sends much that is slow waits for itself, and not everybody for it. */
export class CallerShares {
  readonly #most: number
  readonly #waitLimit: number
  readonly #shares = new Map<string, Share>()

  /** @param most What one caller may have under way.
   *  @param waitLimit Milliseconds after which work that waits for its caller's share gets an error. */
  constructor(most: number, waitLimit: number) {
    this.#most = most
    this.#waitLimit = waitLimit
  }

  /** @param caller Undefined for the stack's own work, which has no limit.
   *  @throws 55P03 when the share is used up for too long. */
  async run<T>(caller: string | undefined, work: () => Promise<T>): Promise<T> {
    if (caller === undefined) return work()
    const share = this.#shares.get(caller) ?? { running: 0, waiting: [] }
    this.#shares.set(caller, share)
    if (share.running >= this.#most) await this.#wait(share)
    else share.running += 1
    try {
      return await work()
    } finally {
      // The place passes to who waits first.
      const next = share.waiting.shift()
      if (next) next.enter()
      else if (--share.running === 0) this.#shares.delete(caller)
    }
  }

  #wait({ waiting }: Share): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(waiter), 1)
        reject(engineBusy(this.#waitLimit))
      }, this.#waitLimit)
      timer.unref()
      const waiter: Waiter = {
        enter() {
          clearTimeout(timer)
          resolve()
        },
      }
      waiting.push(waiter)
    })
  }
}
