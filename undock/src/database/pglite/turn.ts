/** A client that takes turns, for the report about a long wait. */
export type Caller = {
  /** Who it is, with the name that it gave itself. */
  describe(): string
  /** The beginning of its last statement, without values. */
  lastStatement(): string
  /** Tells the client something while it waits, or has its turn. */
  notice(message: string, hint: string): void
}

/** A wait of more than a second for the turn of a client. */
export type LongWait = {
  readonly holder: Caller
  /** When the holder's turn began. */
  readonly since: Date
  /** Left out when it is a service of the stack. */
  readonly waiting: Caller | undefined
}

const HINT = 'PGlite has one session. End transactions soon, or set engine = "native" in supabase/undock.toml.'

const nameOf = (caller: Caller | undefined): string => caller?.describe() ?? 'a service of the stack'

/** A turn that keeps everybody else out. */
export class Turn {
  readonly begun = performance.now()
  readonly #since = new Date()
  readonly #holder: Caller | undefined
  #isReported = false

  /** @param holder Left out for a service of the stack. */
  constructor(holder: Caller | undefined) {
    this.#holder = holder
  }

  /** The client whose turn it is; null when it is a service of the stack. */
  get holder(): string | null {
    return this.#holder?.describe() ?? null
  }

  /** Tells a client that waits long who has the session, and, once, the client that has it who waits.
   *  @returns what the log receives: once for the turn of a client. */
  tellOfWait(waiting: Caller | undefined): LongWait | null {
    const since = this.#since
    waiting?.notice(`waiting for ${nameOf(this.#holder)}, which has the session since ${since.toISOString()}`, HINT)
    if (!this.#holder || this.#isReported) return null
    this.#isReported = true
    this.#holder.notice(`others wait for this transaction or statement: ${nameOf(waiting)}`, HINT)
    return { holder: this.#holder, since, waiting }
  }
}
