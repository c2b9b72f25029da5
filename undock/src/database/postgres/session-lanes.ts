import type { Session } from '../session.ts'
import type { ServerSession } from './server-session.ts'

/** Sessions that exchanges are laid on; one each for two processor cores. */
const LANES = 2
/** Exchanges of a lane that wait for its answers. */
const MOST_UNDER_WAY = 16
/** Milliseconds without an answer after which a lane takes nothing more. */
const PATIENCE = 50
/** Milliseconds: what takes longer on average has a session of its own. */
const QUICK = 20
/** How much the last exchange counts in the average. */
const WEIGHT = 0.2
/** Texts whose time is remembered. */
const MOST_TEXTS = 1_000

/** Lays exchanges that are known to be quick on few sessions, one behind another without waiting for answers. Each ends with a
 *  Sync of its own, so it is a transaction of its own: an error ends only that one.
 *
 *  What is laid behind a slow exchange waits for it. So a text is laid only after it was quick in a session of its own, and not
 *  behind an exchange that has been without an answer for longer than `PATIENCE`; only an exchange that was quick until now and
 *  then waits, for a lock perhaps, keeps the few that came right behind it.
 *
 *  Gain: with 64 connections, a read by key takes a sixth less of Node's CPU time and about half of PostgreSQL's, because one write,
 *  one read and one wake of a backend are for several exchanges (`docs/performance.md`). */
export class SessionLanes {
  readonly #open: () => Promise<ServerSession>
  readonly #lanes = new Set<Lane>()
  readonly #averages = new Map<string, number>()
  #wereUsed = false

  constructor(open: () => Promise<ServerSession>) {
    this.#open = open
  }

  /** Whether nothing is under way. */
  get isIdle(): boolean {
    return [...this.#lanes].every(({ underWay }) => underWay === 0)
  }

  /** Lays an exchange on a lane.
   *  @param text The text whose time decides.
   *  @returns null when it has to have a session of its own. */
  lay<T>(text: string, work: (session: Session) => Promise<T>): Promise<T> | null {
    if ((this.#averages.get(text) ?? Number.POSITIVE_INFINITY) > QUICK) return null
    const lane = this.#laneToTake()
    return lane && this.#runOn(lane, text, work)
  }

  /** Runs an exchange in a session of its own and remembers its time. */
  async measure<T>(text: string, work: () => Promise<T>): Promise<T> {
    const begun = performance.now()
    try {
      return await work()
    } finally {
      this.#remember(text, performance.now() - begun)
    }
  }

  /** Closes the lanes when nothing was laid since the last call.
   *  @returns whether there are none any more. */
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
      const isTaking = lane.underWay < MOST_UNDER_WAY && now - lane.progress < PATIENCE
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
      // It could not be opened, was lost, or was left in a transaction.
      if (lane.underWay === 0 && !lane.session?.isClean) {
        this.#lanes.delete(lane)
        void lane.session?.close()
      }
    }
  }

  #remember(text: string, time: number): void {
    const before = this.#averages.get(text)
    if (before === undefined && this.#averages.size >= MOST_TEXTS) this.#averages.clear()
    this.#averages.set(text, before === undefined ? time : before + WEIGHT * (time - before))
  }
}

type Lane = {
  readonly opening: Promise<ServerSession>
  /** Null until it is opened. */
  session: ServerSession | null
  underWay: number
  /** When the last answer came, or work came to an idle lane. */
  progress: number
}
