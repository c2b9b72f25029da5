import { engineBusy, engineLost } from '../engine/errors.ts'
import type { Session } from '../session.ts'
import type { ServerSession } from './server-session.ts'

type Waiter = { readonly go: () => void; readonly timer: NodeJS.Timeout }

/** Lends sessions, opening at most so many. */
export class SessionPool {
  readonly #open: () => Promise<ServerSession>
  readonly #size: number
  readonly #waitLimit: number
  readonly #idle: ServerSession[] = []
  readonly #waiters: Waiter[] = []
  #lent = 0
  #paused = false
  #closed = false
  #emptied: (() => void) | null = null

  /** @param waitLimit Milliseconds after which somebody who waits is turned away. */
  constructor(open: () => Promise<ServerSession>, size: number, waitLimit: number) {
    this.#open = open
    this.#size = size
    this.#waitLimit = waitLimit
  }

  /** @throws 55P03 when no session comes free in time. */
  async lend<T>(work: (session: Session) => Promise<T>): Promise<T> {
    if (this.#paused || this.#lent >= this.#size) await this.#turn()
    if (this.#closed) throw engineLost('The database is closed')
    this.#lent += 1
    let session: ServerSession | undefined
    try {
      session = this.#takeIdle() ?? (await this.#open())
      return await work(session)
    } finally {
      this.#lent -= 1
      // One that was left in a transaction is nobody else's business.
      if (session?.isClean && !this.#paused && !this.#closed) this.#idle.push(session)
      else void session?.close()
      this.#next()
    }
  }

  /** Waits until nobody has a session, closes them all, and lets nobody in while `work` runs. */
  async withoutSessions<T>(work: () => Promise<T>): Promise<T> {
    this.#paused = true
    try {
      if (this.#lent > 0) {
        await new Promise<void>((resolve) => {
          this.#emptied = resolve
        })
      }
      await this.#closeIdle()
      return await work()
    } finally {
      this.#paused = false
      this.#next()
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    for (const waiter of this.#waiters.splice(0)) {
      clearTimeout(waiter.timer)
      waiter.go()
    }
    await this.#closeIdle()
  }

  #takeIdle(): ServerSession | undefined {
    for (;;) {
      // The one that was used last: it has the most prepared.
      const session = this.#idle.pop()
      if (!session || session.isClean) return session
    }
  }

  async #closeIdle(): Promise<void> {
    await Promise.all(this.#idle.splice(0).map((session) => session.close()))
  }

  #turn(): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiters.splice(this.#waiters.indexOf(waiter), 1)
        reject(engineBusy(this.#waitLimit))
      }, this.#waitLimit)
      timer.unref()
      const waiter: Waiter = { go: resolve, timer }
      this.#waiters.push(waiter)
    })
  }

  #next(): void {
    if (this.#paused) {
      if (this.#lent === 0) this.#emptied?.()
      return
    }
    for (let free = this.#size - this.#lent; free > 0; free--) {
      const waiter = this.#waiters.shift()
      if (!waiter) return
      clearTimeout(waiter.timer)
      waiter.go()
    }
  }
}
