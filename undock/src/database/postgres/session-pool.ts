import { engineBusy, engineLost } from '../protocol/errors.ts'
import type { Session } from '../session.ts'
import type { ServerSession } from './server-session.ts'
import { SessionLanes } from './session-lanes.ts'

/** Milliseconds before an idle session is closed: each is a process of 5 to 15 MB. */
const REST = 60_000

type Waiter = { readonly resume: () => void; readonly timer: NodeJS.Timeout }

/** A pool of sessions opened on demand, plus the lanes that quick exchanges share. */
export class SessionPool {
  readonly #open: () => Promise<ServerSession>
  readonly #size: number
  readonly #waitLimit: number
  readonly #lanes: SessionLanes
  readonly #idle: ServerSession[] = []
  readonly #waiters: Waiter[] = []
  #lent = 0
  #paused = false
  #closed = false
  #resting: NodeJS.Timeout | null = null
  /** Number of sessions at the bottom of `#idle` that weren't used since the last check. */
  #unused = 0
  #onAllReturned: (() => void) | null = null

  constructor(open: () => Promise<ServerSession>, size: number, waitLimit: number) {
    this.#open = open
    this.#size = size
    this.#waitLimit = waitLimit
    this.#lanes = new SessionLanes(open)
  }

  /** Lends a session. @throws 55P03 if none becomes free in time. */
  async withSession<T>(work: (session: Session) => Promise<T>): Promise<T> {
    if (this.#paused || this.#lent >= this.#size) await this.#waitForSession()
    if (this.#closed) throw engineLost('The database is closed')
    this.#lent += 1
    this.#watch()
    let session: ServerSession | undefined
    try {
      session = this.#takeIdle() ?? (await this.#open())
      return await work(session)
    } finally {
      this.#lent -= 1
      if (session?.isClean && !this.#paused && !this.#closed) this.#idle.push(session)
      else void session?.close()
      this.#serveWaiters()
    }
  }

  /** Lends a session for one exchange; others may follow before it's answered.
   *  @param text The text whose time decides whether they may. */
  async shareSession<T>(text: string, work: (session: Session) => Promise<T>): Promise<T> {
    const laid = this.#paused || this.#closed ? null : this.#lanes.lay(text, work)
    if (laid === null) return this.withSession((session) => this.#lanes.measure(text, () => work(session)))
    this.#watch()
    return laid.finally(() => this.#paused && this.#serveWaiters())
  }

  /** Waits until all sessions are returned, closes them, and lends none while `work` runs. */
  async withoutSessions<T>(work: () => Promise<T>): Promise<T> {
    this.#paused = true
    try {
      if (!this.#isIdle) {
        await new Promise<void>((resolve) => {
          this.#onAllReturned = resolve
        })
      }
      await Promise.all([this.#closeIdle(), this.#lanes.close()])
      return await work()
    } finally {
      this.#paused = false
      this.#serveWaiters()
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    if (this.#resting) clearTimeout(this.#resting)
    for (const waiter of this.#waiters.splice(0)) {
      clearTimeout(waiter.timer)
      waiter.resume()
    }
    await Promise.all([this.#closeIdle(), this.#lanes.close()])
  }

  get #isIdle(): boolean {
    return this.#lent === 0 && this.#lanes.isIdle
  }

  #takeIdle(): ServerSession | undefined {
    for (;;) {
      // The most recently used session has the most prepared statements, and unneeded ones stay at the bottom.
      const session = this.#idle.pop()
      this.#unused = Math.min(this.#unused, this.#idle.length)
      if (!session || session.isClean) return session
    }
  }

  #watch(): void {
    this.#resting ??= setTimeout(() => {
      for (const session of this.#idle.splice(0, this.#unused)) void session.close()
      this.#unused = this.#idle.length
      const isEmpty = this.#lanes.closeUnused() && this.#lent === 0 && this.#idle.length === 0
      if (isEmpty) this.#resting = null
      else this.#resting?.refresh()
    }, REST).unref()
  }

  async #closeIdle(): Promise<void> {
    this.#unused = 0
    await Promise.all(this.#idle.splice(0).map((session) => session.close()))
  }

  #waitForSession(): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiters.splice(this.#waiters.indexOf(waiter), 1)
        reject(engineBusy(this.#waitLimit))
      }, this.#waitLimit)
      timer.unref()
      const waiter: Waiter = { resume: resolve, timer }
      this.#waiters.push(waiter)
    })
  }

  #serveWaiters(): void {
    if (this.#paused) {
      if (this.#isIdle) this.#onAllReturned?.()
      return
    }
    for (let free = this.#size - this.#lent; free > 0; free--) {
      const waiter = this.#waiters.shift()
      if (!waiter) return
      clearTimeout(waiter.timer)
      waiter.resume()
    }
  }
}
