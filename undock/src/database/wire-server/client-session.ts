import type { Log } from '../../kernel/service.ts'
import type { EmbeddedEngine } from '../pglite/engine.ts'
import type { WaitLimit } from '../pglite/session-lock.ts'
import {
  DROP_SCRIPT,
  HAS_TEMPORARY_SCHEMA,
  HIDE_SCRIPT,
  hiddenObjects,
  showScript,
  type TemporaryObject,
} from '../pglite/temporary-objects.ts'
import type { Caller } from '../pglite/turn.ts'
import { lockTimedOut, waitTimedOut } from '../protocol/errors.ts'
import { decode, encodeScript, SYNC } from '../protocol/exchange.ts'
import { findLoginRole } from '../protocol/login-role.ts'
import type { Session } from '../session.ts'
import { encodeParameter } from './backend-messages.ts'
import type { ClientStatements } from './client-statements.ts'
import { acquireSession, type ClientTurn, type SessionLease, sessionAs } from './session-lease.ts'
import { captureState, FRESH_SCRIPT, restoreScript, type SessionState } from './session-state.ts'
import type { StartedClient } from './startup.ts'
import type { StatementEffects } from './statement-effects.ts'

/** State that all connections of a listener share. */
export type ListenerState = {
  readonly engine: EmbeddedEngine
  /** Milliseconds that a client may be idle in an open transaction. */
  readonly idleLimit: number
  /** How often the engine's session has lost all prepared statements. */
  statementsGeneration: number
  /** Whether somebody has created a temporary object since the engine was opened. */
  hasTemporarySchema: boolean
  /** Whether the log says that advisory locks exclude nobody. */
  hasWarnedOfAdvisoryLocks: boolean
  readonly log: Log
}

/** One client's turns at the engine's session. Each turn begins by restoring the state in which this client left the session, and ends
 *  by resetting it, so that neither other clients nor the API see changes of the session. */
export class ClientSession {
  readonly #shared: ListenerState
  readonly #statements: ClientStatements
  readonly #reported: Map<string, string>
  /** Custom settings of the project that this client may have made. */
  readonly #ownSettings: Set<string>
  #state: SessionState
  #generation: number
  readonly #processId: number
  readonly #caller: Caller
  readonly #userName: string
  #user: number
  #lease: SessionLease | null = null
  /** The lease's session, authenticated as this client. */
  #session: ClientTurn | null = null
  /** Whether a statement of this turn may have changed settings. */
  #mayHaveChangedSettings = false
  /** The client's temporary objects, hidden since its last turn. */
  #temporary: Promise<readonly TemporaryObject[]> = Promise.resolve([])
  /** Whether these objects have their own names at the moment. */
  #showsTemporary = false
  /** Channels that an UNLISTEN of this turn removed from the shared session, and that others may still need. */
  #relisten: readonly string[] = []

  /** @param told What the connection knows and passes on when somebody waits. */
  constructor(
    shared: ListenerState,
    statements: ClientStatements,
    { state, reported, user, userId, processId }: StartedClient,
    told: Pick<Caller, 'lastStatement' | 'notice'>,
  ) {
    this.#caller = { ...told, describe: () => this.#describe(user, processId) }
    this.#processId = processId
    this.#userName = user
    this.#user = userId
    this.#shared = shared
    this.#statements = statements
    this.#state = state
    this.#reported = new Map(reported)
    this.#ownSettings = new Set(state.map(([name]) => name).filter((name) => name.includes('.')))
    this.#generation = shared.statementsGeneration
  }

  /** Whether a turn is under way. */
  get isHeld(): boolean {
    return this.#lease !== null
  }

  /** Whether the session still has this client's prepared statements. */
  get isPrepared(): boolean {
    return this.#generation === this.#shared.statementsGeneration
  }

  /** Begins a turn, or continues it.
   *  @param signal Ends the wait for the turn when it is aborted.
   *  @returns the session, authenticated as the client.
   *  @throws 55P03 or 57014 when the turn does not come in time. */
  async acquire(signal?: AbortSignal): Promise<ClientTurn> {
    if (this.#session) return this.#session
    const limits = [
      ...this.#waitLimit('lock_timeout', lockTimedOut),
      ...this.#waitLimit('statement_timeout', waitTimedOut),
    ]
    const lease = await acquireSession(this.#shared.engine, {
      limits,
      caller: this.#caller,
      ...(signal ? { signal } : {}),
    })
    this.#lease = lease
    // The engine may have been reopened on other data, in which the role has another oid.
    if (!this.isPrepared) this.#user = (await findLoginRole(lease, this.#userName)).oid
    const session = sessionAs(lease, this.#user, this.#processId)
    this.#session = session
    if (!this.isPrepared) {
      this.#generation = this.#shared.statementsGeneration
      // Each in an exchange of its own: one that no longer parses must not prevent the others.
      for (const parse of this.#statements.prepareAgain()) await session.exchange(Buffer.concat([parse, SYNC]))
    }
    const temporary = await this.#temporary
    if (temporary.length > 0) decode(await lease.exchange(encodeScript(showScript(temporary))))
    this.#showsTemporary = true
    // A setting that is no longer valid fails; the connection's #fail then ends the turn.
    if (this.#state.length > 0) decode(await lease.exchange(encodeScript(restoreScript(this.#state))))
    return session
  }

  #describe(user: string, processId: number): string {
    const application = this.#reported.get('application_name')
    return `${application ? `application "${application}", ` : ''}user "${user}", process ${processId}`
  }

  /** Reads a limit that the client has set for itself. */
  #waitLimit(setting: string, error: WaitLimit['error']): WaitLimit[] {
    const milliseconds = Number(this.#state.find(([name]) => name === setting)?.[1] ?? 0)
    return milliseconds > 0 ? [{ milliseconds, error }] : []
  }

  /** Records, before statements run, how they may change the session. */
  async recordEffects(runs: readonly StatementEffects[], session: Session): Promise<void> {
    if (runs.some(({ changesSettings }) => changesSettings)) this.#mayHaveChangedSettings = true
    for (const name of runs.flatMap(({ ownSettings }) => ownSettings)) this.#ownSettings.add(name)
    if (runs.some(({ unlistens }) => unlistens.length > 0)) this.#relisten = await listening(session)
  }

  /** Records that all prepared statements were dropped, those of other clients too. */
  deallocateAll(): void {
    this.#shared.statementsGeneration += 1
    this.#generation = this.#shared.statementsGeneration
    this.#statements.closeAll()
  }

  /** Records that the engine was lost, and with it the prepared statements of all clients. */
  invalidateStatements(): void {
    this.#shared.statementsGeneration += 1
  }

  /** Reads the settings that the turn has changed. The session must not be in a failed transaction.
   *  @returns messages that report changed parameters to the client, as a server does. */
  async takeParameterChanges(): Promise<Buffer[]> {
    if (!this.#mayHaveChangedSettings || !this.#session) return []
    const { state, reported } = await captureState(this.#session, this.#ownSettings)
    this.#state = state
    const changed = [...reported].filter(([name, value]) => this.#reported.get(name) !== value)
    for (const [name, value] of changed) this.#reported.set(name, value)
    return changed.map(([name, value]) => encodeParameter(name, value))
  }

  /** Whether the session has temporary objects of this client. */
  async hasTemporaryObjects(): Promise<boolean> {
    return this.isHeld || (await this.#temporary).length > 0
  }

  /** Drops the client's temporary objects, in its turn. */
  async dropTemporaryObjects(): Promise<void> {
    for (const script of [FRESH_SCRIPT, DROP_SCRIPT]) await this.#lease?.exchange(encodeScript(script))
  }

  /** Ends the turn. The script that resets the session is sent before anybody else's messages can be. */
  release(): void {
    const lease = this.#lease
    if (!lease) return
    const listens = this.#relisten.map((channel) => `; listen "${channel.replaceAll('"', '""')}"`)
    const fresh = encodeScript(`${FRESH_SCRIPT}${listens.join('')}; ${HAS_TEMPORARY_SCHEMA}`)
    const before = this.#showsTemporary ? Promise.resolve([]) : this.#temporary
    this.#showsTemporary = false
    this.#temporary = this.#hideTemporary(lease, lease.exchange(Buffer.concat([SYNC, fresh])))
      .then(async (hidden) => [...(await before), ...hidden])
      // This fails only when the engine was lost; then nothing has to be reset.
      .catch(() => [])
      .finally(() => lease.release())
    this.#lease = null
    this.#session = null
    this.#mayHaveChangedSettings = false
    this.#relisten = []
  }

  /** Hides the temporary objects of the turn. Looking for them takes longer than most statements, so it is not done before the session
   *  has had one. */
  async #hideTemporary(lease: SessionLease, reset: Promise<Uint8Array>): Promise<TemporaryObject[]> {
    this.#shared.hasTemporarySchema ||= decode(await reset).results.at(-1)?.rows[0]?.temporary === true
    if (!this.#shared.hasTemporarySchema) return []
    return hiddenObjects(decode(await lease.exchange(encodeScript(HIDE_SCRIPT))).results)
  }
}

async function listening(session: Session): Promise<string[]> {
  const { results } = decode(
    await session.exchange(encodeScript('select pg_catalog.pg_listening_channels() as channel')),
  )
  return (results[0]?.rows ?? []).map(({ channel }) => String(channel))
}
