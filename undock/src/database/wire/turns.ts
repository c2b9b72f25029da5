import { decode, encodeScript, SYNC } from '../engine/exchange.ts'
import type { Engine } from '../session.ts'
import { encodeParameter } from './backend.ts'
import { holdSession, type Lease } from './lease.ts'
import { captureState, FRESH_SCRIPT, restoreScript, type SessionState } from './session-state.ts'
import type { Traits } from './sql-text.ts'
import type { Greeted } from './startup.ts'
import type { Statements } from './statements.ts'

/** What all connections of one listener share. */
export type Shared = {
  readonly engine: Engine
  /** Milliseconds a client may sit in an open transaction. */
  readonly idleLimit: number
  /** Counts how often the engine's session lost all prepared statements. */
  generation: number
}

/** One client's turns at the engine's session. At the beginning of each the session is made what this client left it
 *  as, at the end it is made fresh again: so neither other clients nor the API ever see it changed. */
export class Turns {
  readonly #shared: Shared
  readonly #statements: Statements
  readonly #reported: Map<string, string>
  /** Settings of the project's own that this client may have made. */
  readonly #ownSettings: Set<string>
  #state: SessionState
  #generation: number
  #lease: Lease | null = null
  /** Something in this turn may have changed settings. */
  #dirty = false
  /** Channels that an UNLISTEN in this turn took from everybody and that others still need. */
  #relisten: readonly string[] = []

  constructor(shared: Shared, statements: Statements, { state, reported }: Greeted) {
    this.#shared = shared
    this.#statements = statements
    this.#state = state
    this.#reported = new Map(reported)
    this.#ownSettings = new Set(state.map(([name]) => name).filter((name) => name.includes('.')))
    this.#generation = shared.generation
  }

  /** The turn that goes on; null between turns. */
  get lease(): Lease | null {
    return this.#lease
  }

  /** Whether the session still has this client's prepared statements. */
  get isPrepared(): boolean {
    return this.#generation === this.#shared.generation
  }

  /** Begins a turn, or goes on with it. @throws 55P03 when it does not come in time. */
  async take(): Promise<Lease> {
    if (this.#lease) return this.#lease
    const lease = await holdSession(this.#shared.engine)
    this.#lease = lease
    if (!this.isPrepared) {
      this.#generation = this.#shared.generation
      // Each in an exchange of its own: one that no longer parses must not keep the others from it.
      for (const parse of this.#statements.prepareAgain()) await lease.exchange(Buffer.concat([parse, SYNC]))
    }
    // A setting that no longer holds fails; #fail of the connection ends the turn.
    if (this.#state.length > 0) decode(await lease.exchange(encodeScript(restoreScript(this.#state))))
    return lease
  }

  /** Notes, before they run, what statements may do to the session. */
  async expect(runs: readonly Traits[], lease: Lease): Promise<void> {
    if (runs.some(({ changesSettings }) => changesSettings)) this.#dirty = true
    for (const name of runs.flatMap(({ ownSettings }) => ownSettings)) this.#ownSettings.add(name)
    if (runs.some(({ unlistens }) => unlistens.length > 0)) this.#relisten = await listening(lease)
  }

  /** Every prepared statement was dropped, those of others too. */
  forgetAll(): void {
    this.#shared.generation += 1
    this.#generation = this.#shared.generation
    this.#statements.closeAll()
  }

  /** The engine is a new one, or will be: nobody's statements are prepared any more. */
  lose(): void {
    this.#shared.generation += 1
  }

  /** Reads what settings the turn has left. It must not be in a failed transaction.
   *  @returns messages that tell the client of the changes that a server tells. */
  async changes(): Promise<Buffer[]> {
    if (!this.#dirty || !this.#lease) return []
    const { state, reported } = await captureState(this.#lease, this.#ownSettings)
    this.#state = state
    const changed = [...reported].filter(([name, value]) => this.#reported.get(name) !== value)
    for (const [name, value] of changed) this.#reported.set(name, value)
    return changed.map(([name, value]) => encodeParameter(name, value))
  }

  /** Ends the turn. What makes the session fresh is on its way before anybody else's messages can be. */
  end(): void {
    const lease = this.#lease
    if (!lease) return
    const listens = this.#relisten.map((channel) => `; listen "${channel.replaceAll('"', '""')}"`)
    // It fails only when the engine is lost, and then there is nothing to make fresh.
    lease.exchange(encodeScript(FRESH_SCRIPT + listens.join(''))).catch(() => undefined)
    this.#lease = null
    this.#dirty = false
    this.#relisten = []
    lease.release()
  }
}

async function listening(lease: Lease): Promise<string[]> {
  const { results } = decode(await lease.exchange(encodeScript('select pg_catalog.pg_listening_channels() as channel')))
  return (results[0]?.rows ?? []).map(({ channel }) => String(channel))
}
