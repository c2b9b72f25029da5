import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { ERRORS, type Lock, type Locker, type RequestRelease } from '@tus/server'
import type { Lease, Uploads } from './uploads.ts'

/** Milliseconds between renewals, when a holder also learns that another request is waiting. */
const RENEWAL = 1000
const RETRY = 200
/** Milliseconds that a request waits: longer than a dead process's lease. */
const PATIENCE = 15_000

type Held = Lease & {
  readonly cancel: RequestRelease
  readonly released: Promise<void>
  free(): void
  timer: NodeJS.Timeout
}

/** One writer per upload, on any process, by a lease in the upload's row. A request that finds another one running asks
 *  it to stop, as the protocol requires: the client lost that connection and is back. */
export class Leases implements Locker {
  readonly #uploads: Uploads
  readonly #held = new Map<string, Held>()

  constructor(uploads: Uploads) {
    this.#uploads = uploads
  }

  newLock(id: string): Lock {
    return { lock: (signal, cancel) => this.#lock(id, signal, cancel), unlock: () => this.#unlock(id) }
  }

  of(id: string): Lease {
    const held = this.#held.get(id)
    if (!held) throw ERRORS.ERR_LOCK_TIMEOUT
    return held
  }

  /** Runs work while nothing else holds the upload. */
  async during<T>(id: string, work: () => Promise<T>): Promise<T> {
    const lock = this.newLock(id)
    await lock.lock(new AbortController().signal, () => undefined)
    try {
      return await work()
    } finally {
      await lock.unlock()
    }
  }

  async #lock(id: string, signal: AbortSignal, cancel: RequestRelease): Promise<void> {
    const end = performance.now() + PATIENCE
    while (!signal.aborted && performance.now() < end) {
      const here = this.#held.get(id)
      if (here) {
        await here.cancel()
        await Promise.race([here.released, wait(RETRY)])
        continue
      }
      const lease = { id, holder: randomUUID() }
      const outcome = await this.#uploads.take(lease)
      // A missing upload is reported by the next step.
      if (outcome === 'missing') return
      if (outcome === 'taken') return this.#hold(lease, cancel)
      await wait(RETRY)
    }
    throw ERRORS.ERR_LOCK_TIMEOUT
  }

  #hold(lease: Lease, cancel: RequestRelease): void {
    const { promise: released, resolve: free } = Promise.withResolvers<void>()
    const renew = async (): Promise<void> => {
      // If the database doesn't answer, the lease expires, and writes without it are refused.
      const isWanted = await this.#uploads.renew(lease).catch(() => false)
      if (isWanted !== false) await cancel()
    }
    const timer = setInterval(() => void renew(), RENEWAL)
    this.#held.set(lease.id, { ...lease, cancel, released, free, timer })
  }

  async #unlock(id: string): Promise<void> {
    const held = this.#held.get(id)
    if (!held) return
    clearInterval(held.timer)
    try {
      await this.#uploads.release(held)
    } finally {
      this.#held.delete(id)
      held.free()
    }
  }
}
