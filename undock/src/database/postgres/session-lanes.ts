import type { Session } from '../session.ts'
import type { ServerSession } from './server-session.ts'

/** Shared sessions: one per core on two cores. */
const LANES = 2
/** Unanswered exchanges per lane. */
const MAX_PENDING_EXCHANGES = 16
/** Milliseconds without an answer before a lane accepts no more work. */
const PATIENCE = 50
/** Milliseconds: slower texts, on average, get their own session. */
const QUICK = 20
const WEIGHT = 0.2
const MAX_TEXTS = 1_000

/** Pipelines exchanges that are known to be quick on a few sessions, without waiting for answers. Each ends with its
 *  own Sync, so it's a transaction of its own: an error only ends that one.
 *
 *  Work behind a slow exchange waits for it. So a text only shares a lane after it was quick in its own session, and
 *  not behind an exchange without an answer for longer than `PATIENCE`. Only an exchange that was quick before and now
 *  waits, perhaps for a lock, holds up the few right behind it.
 *
 *  Gain: with 64 connections, a read by key takes a sixth less of Node's CPU time and about half of PostgreSQL's,
 *  because several exchanges share a write, a read and a wakeup of a backend (`docs/performance.md`). */
export class SessionLanes {
  readonly #open: () => Promise<ServerSession>
  readonly #lanes = new Set<Lane>()
  readonly #averages = new Map<string, number>()
  #wereUsed = false

  constructor(open: () => Promise<ServerSession>) {
    this.#open = open
  }

  get isIdle(): boolean {
    return [...this.#lanes].every(({ underWay }) => underWay === 0)
  }

  /** Sends an exchange on a lane.
   *  @param text The text whose time decides.
   *  @returns null if it needs its own session. */
  lay<T>(text: string, work: (session: Session) => Promise<T>): Promise<T> | null {
    if ((this.#averages.get(text) ?? Number.POSITIVE_INFINITY) > QUICK) return null
    const lane = this.#laneToTake()
    return lane && this.#runOn(lane, text, work)
  }

  async measure<T>(text: string, work: () => Promise<T>): Promise<T> {
    const begun = performance.now()
    try {
      return await work()
    } finally {
      this.#remember(text, performance.now() - begun)
    }
  }

  /** Closes the lanes if they weren't used since the last call. @returns whether none are left. */
  closeUnused(): boolean {
    if (!this.#wereUsed && this.isIdle) void this.close()
    this.#wereUsed = false
    return this.#lanes.size === 0
  }

  async close(): Promise<void> {
    const lanes = [...this.#lanes]
    this.#lanes.clear()
    await Promise.all(lanes.map(({ session }) => session?.close()))
  }

  #laneToTake(): Lane | null {
    const now = performance.now()
    let best: Lane | null = null
    for (const lane of this.#lanes) {
      if (lane.underWay === 0 && lane.session?.isClean !== false) return lane
      if (lane.underWay === 0) this.#lanes.delete(lane)
      const isTaking = lane.underWay < MAX_PENDING_EXCHANGES && now - lane.progress < PATIENCE
      if (isTaking && (best === null || lane.underWay < best.underWay)) best = lane
    }
    if (this.#lanes.size >= LANES) return best
    const opened: Lane = { opening: this.#open(), session: null, underWay: 0, progress: now }
    this.#lanes.add(opened)
    return opened
  }

  async #runOn<T>(lane: Lane, text: string, work: (session: Session) => Promise<T>): Promise<T> {
    this.#wereUsed = true
    if (lane.underWay++ === 0) lane.progress = performance.now()
    try {
      lane.session ??= await lane.opening
      return await work(lane.session)
    } finally {
      lane.underWay -= 1
      const now = performance.now()
      this.#remember(text, now - lane.progress)
      lane.progress = now
      if (lane.underWay === 0 && !lane.session?.isClean) {
        this.#lanes.delete(lane)
        void lane.session?.close()
      }
    }
  }

  #remember(text: string, time: number): void {
    const before = this.#averages.get(text)
    if (before === undefined && this.#averages.size >= MAX_TEXTS) this.#averages.clear()
    this.#averages.set(text, before === undefined ? time : before + WEIGHT * (time - before))
  }
}

type Lane = {
  readonly opening: Promise<ServerSession>
  session: ServerSession | null
  underWay: number
  /** When the last answer came, or work reached an idle lane. */
  progress: number
}
