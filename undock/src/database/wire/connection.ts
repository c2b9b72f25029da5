import type { Socket } from 'node:net'
import pg from 'pg'
import type { Engine } from '../engine/engine.ts'
import { decode, encodeScript, SYNC } from '../engine/exchange.ts'
import {
  type ErrorFields,
  encodeError,
  encodeNotification,
  encodeParameter,
  encodeReady,
  type TransactionStatus,
} from './backend.ts'
import { CopyIn } from './copy-in.ts'
import { encodeMessage, type FrontendMessage, takeString } from './frontend.ts'
import { holdSession, type Lease } from './lease.ts'
import { type Filtered, filterResponse } from './response.ts'
import { captureState, FRESH_SCRIPT, literal, restoreScript, type SessionState } from './session-state.ts'
import { readTraits, resetsAuthorization, type Traits } from './sql-text.ts'
import type { Greeted } from './startup.ts'
import { Statements } from './statements.ts'

/** What all connections of one listener share. */
export type Shared = {
  readonly engine: Engine
  /** Milliseconds a client may sit in an open transaction. */
  readonly idleLimit: number
  /** Counts how often the engine's session lost all prepared statements. */
  generation: number
}

/** One client, between its authentication and its end. Its messages come in through `receive`, one at a time. */
export class Connection {
  readonly #shared: Shared
  readonly #socket: Socket
  readonly #processId: number
  readonly #user: string
  readonly #statements: Statements
  readonly #channels = new Set<string>()
  /** Settings of the project's own that this client may have made. */
  readonly #ownSettings: Set<string>
  readonly #reported: Map<string, string>
  #state: SessionState
  #generation: number
  #lease: Lease | null = null
  #status: TransactionStatus = 'I'
  /** Messages not yet sent to the engine, and what the statements in them do. */
  #batch: Buffer[] = []
  #runs: Traits[] = []
  /** For each Close on its way to the engine: whether the client sent it. */
  #closes: boolean[] = []
  /** Something since the session was taken may have changed its settings. */
  #dirty = false
  /** Channels that an UNLISTEN took from everybody and that others still need. */
  #relisten: readonly string[] = []
  /** After an error of our own: as the engine would, ignore all messages up to the Sync. */
  #skipping = false
  #copy: CopyIn | null = null
  #idleTimer: NodeJS.Timeout | undefined
  #ended = false

  constructor(shared: Shared, socket: Socket, processId: number, greeted: Greeted) {
    this.#shared = shared
    this.#socket = socket
    this.#processId = processId
    this.#user = greeted.user
    this.#state = greeted.state
    this.#ownSettings = new Set(greeted.state.map(([name]) => name).filter((name) => name.includes('.')))
    this.#reported = new Map(greeted.reported)
    this.#statements = new Statements(`wire${processId}_`)
    this.#generation = shared.generation
  }

  get ended(): boolean {
    return this.#ended
  }

  get channels(): ReadonlySet<string> {
    return this.#channels
  }

  notify(channel: string, payload: string): void {
    if (!this.#ended && this.#channels.has(channel))
      this.#socket.write(encodeNotification(this.#processId, channel, payload))
  }

  /** @throws {ProtocolViolation} */
  async receive(message: FrontendMessage): Promise<void> {
    clearTimeout(this.#idleTimer)
    if (this.#ended) return
    if (this.#copy) return this.#receiveCopy(this.#copy, message)
    if (this.#skipping && message.type !== 'S') return
    switch (message.type) {
      case 'Q':
        return this.#query(takeString(message.body).text)
      case 'S':
        return this.#sync()
      case 'H':
        return this.#send([...this.#batch, encodeMessage('H')], false)
      case 'F':
        return this.#send([...this.#batch, encodeMessage('F', message.body)], true)
      case 'd':
      case 'c':
      case 'f':
        // Left over from a COPY that had already failed; Postgres ignores them too.
        return
      default:
        return this.#collect(message)
    }
  }

  /** The client is gone: what it left open is undone, what it prepared is forgotten. */
  async end(): Promise<void> {
    clearTimeout(this.#idleTimer)
    if (this.#ended) return
    this.#ended = true
    const closes = this.#generation === this.#shared.generation ? this.#statements.closeAll() : []
    if (!this.#lease && closes.length === 0) return
    try {
      const lease = await this.#hold()
      if (this.#status !== 'I' || this.#batch.length > 0) await this.#rollBack(lease)
      if (closes.length > 0) await lease.exchange(Buffer.concat([...closes, SYNC]))
      await this.#giveBack(lease)
    } catch {
      // The engine was lost; so is everything that was to be undone.
      this.#dropLease()
    }
  }

  #collect(message: FrontendMessage): void {
    const { messages, closesFirst, runs } = this.#statements.rewrite(message)
    if (runs) this.#runs.push(runs)
    if (closesFirst) this.#closes.push(false)
    if (message.type === 'C') this.#closes.push(true)
    this.#batch.push(...messages)
  }

  async #sync(): Promise<void> {
    const hadFailed = this.#skipping
    this.#skipping = false
    if (hadFailed) return this.#ready()
    if (this.#runs.some(({ copyIn }) => copyIn !== 'none')) {
      this.#batch = [refusalQuery('0A000', 'COPY FROM STDIN works with the simple query protocol only')]
      return this.#send(this.#batch, true)
    }
    return this.#send([...this.#batch, SYNC], true)
  }

  async #query(text: string): Promise<void> {
    const traits = readTraits(text)
    this.#runs.push(traits)
    switch (traits.copyIn) {
      case 'alone':
        return this.#beginCopy(text)
      case 'among others':
        return this.#send([refusalQuery('0A000', 'COPY FROM STDIN must be sent alone, without other statements')], true)
      case 'none': {
        const own = resetsAuthorization(text) ? `set session authorization ${literal(this.#user)}` : text
        return this.#send([...this.#batch, encodeMessage('Q', this.#statements.rewriteText(own))], true)
      }
    }
  }

  /** Sends messages to the engine and its answer to the client.
   *  @param complete Whether the messages end with a Sync or its like, after which the client waits for ReadyForQuery. */
  async #send(messages: readonly Buffer[], complete: boolean): Promise<void> {
    this.#batch = []
    try {
      const answer = await this.#exchange(messages, complete)
      await this.#settle(answer.bytes, complete)
    } catch (error) {
      this.#fail(error, complete)
    }
  }

  async #exchange(messages: readonly Buffer[], complete: boolean): Promise<Filtered> {
    const lease = await this.#hold()
    const runs = this.#runs.splice(0)
    if (runs.some(({ changesSettings }) => changesSettings)) this.#dirty = true
    for (const name of runs.flatMap(({ ownSettings }) => ownSettings)) this.#ownSettings.add(name)
    const unlistened = runs.flatMap(({ unlistens }) => unlistens)
    if (unlistened.length > 0) this.#relisten = await listening(lease)
    const answer = filterResponse(await lease.exchange(Buffer.concat(messages)), this.#closes)
    if (complete) {
      this.#closes = []
      this.#status = answer.status ?? (await syncStatus(lease))
    }
    if (runs.some(({ forgetsAll }) => forgetsAll)) {
      this.#shared.generation += 1
      this.#generation = this.#shared.generation
      this.#statements.closeAll()
    }
    for (const channel of unlistened) {
      if (channel === '*') this.#channels.clear()
      else this.#channels.delete(channel)
    }
    if (!answer.failed) for (const channel of runs.flatMap(({ listens }) => listens)) this.#channels.add(channel)
    return answer
  }

  /** Answers the client, then lets the session go unless a transaction or an unfinished batch needs it. */
  async #settle(bytes: Buffer, complete: boolean): Promise<void> {
    const lease = this.#lease
    if (!lease) return
    if (!complete || this.#status !== 'I') {
      this.#write(bytes)
      if (complete) this.#ready()
      this.#watchIdle(lease)
      return
    }
    // Changed settings are told before ReadyForQuery; without any the client need not wait for the session to be freed.
    const changed = this.#dirty ? await this.#noteState(lease) : []
    this.#write(Buffer.concat([bytes, ...changed]))
    this.#ready()
    await this.#giveBack(lease)
  }

  async #hold(): Promise<Lease> {
    if (this.#lease) return this.#lease
    const lease = await holdSession(this.#shared.engine)
    this.#lease = lease
    if (this.#generation !== this.#shared.generation) {
      this.#generation = this.#shared.generation
      // Each in an exchange of its own: one that no longer parses must not keep the others from it.
      for (const parse of this.#statements.prepareAgain()) await lease.exchange(Buffer.concat([parse, SYNC]))
    }
    if (this.#state.length === 0) return lease
    try {
      decode(await lease.exchange(encodeScript(restoreScript(this.#state))))
      return lease
    } catch (error) {
      // A setting that no longer holds: nothing of it may stay behind for others.
      await this.#giveBack(lease)
      throw error
    }
  }

  /** Leaves the session as fresh as it was found. */
  async #giveBack(lease: Lease): Promise<void> {
    try {
      if (this.#relisten.length > 0) {
        const script = this.#relisten.map((channel) => `listen "${channel.replaceAll('"', '""')}"`).join(';')
        this.#relisten = []
        await lease.exchange(encodeScript(script))
      }
      if (this.#dirty || this.#state.length > 0) await lease.exchange(encodeScript(FRESH_SCRIPT))
      this.#dirty = false
    } finally {
      this.#dropLease()
    }
  }

  #dropLease(): void {
    this.#lease?.release()
    this.#lease = null
  }

  /** Reads the settings that the session has now. @returns messages that tell the client of those it is told of. */
  async #noteState(lease: Lease): Promise<Buffer[]> {
    const { state, reported } = await captureState(lease, this.#ownSettings)
    this.#state = state
    const changed = [...reported].filter(([name, value]) => this.#reported.get(name) !== value)
    for (const [name, value] of changed) this.#reported.set(name, value)
    return changed.map(([name, value]) => encodeParameter(name, value))
  }

  #watchIdle(lease: Lease): void {
    if (this.#shared.idleLimit === 0) return
    this.#idleTimer = setTimeout(() => {
      this.#ended = true
      this.#rollBack(lease)
        .then(() => this.#giveBack(lease))
        .catch(() => this.#dropLease())
      const message = 'terminating connection due to idle-in-transaction timeout'
      const hint = `The transaction was rolled back: it held the only session of the database for ${this.#shared.idleLimit / 1000} s. Raise idle_in_transaction_timeout under [limits] in supabase/undock.toml if it should.`
      this.#socket.end(encodeError({ severity: 'FATAL', code: '25P03', message, hint }))
    }, this.#shared.idleLimit)
  }

  async #rollBack(lease: Lease): Promise<void> {
    await lease.exchange(Buffer.concat([SYNC, encodeScript('rollback')]))
    this.#status = 'I'
    this.#dirty = true
  }

  async #beginCopy(text: string): Promise<void> {
    try {
      const lease = await this.#hold()
      this.#runs = []
      const copy = await CopyIn.begin(text, this.#status, async (messages) =>
        filterResponse(await lease.exchange(messages), []),
      )
      // The statement cannot begin: it is sent as it is for its error.
      if (!copy) return await this.#send([encodeMessage('Q', text), encodeMessage('f', 'not begun')], true)
      this.#copy = copy
      this.#write(copy.invitation)
      if (this.#status === 'I') await this.#giveBack(lease)
      else this.#watchIdle(lease)
    } catch (error) {
      this.#fail(error, true)
    }
  }

  async #receiveCopy(copy: CopyIn, message: FrontendMessage): Promise<void> {
    const messages = copy.receive(message)
    if (!messages) return this.#lease ? this.#watchIdle(this.#lease) : undefined
    this.#copy = null
    await this.#send(messages, true)
  }

  /** Tells the client of an error that did not come from the statement itself. */
  #fail(error: unknown, complete: boolean): void {
    const fields = errorFields(error)
    // The engine opens again while others already take their turn: all must know that it has forgotten everything.
    if (ENGINE_LOST.includes(fields.code)) this.#shared.generation += 1
    const wasOpen = this.#status !== 'I' || (this.#lease !== null && !complete)
    this.#dropLease()
    this.#status = 'I'
    this.#closes = []
    this.#runs = []
    if (wasOpen) {
      this.#ended = true
      this.#socket.end(encodeError({ ...fields, severity: 'FATAL' }))
      return
    }
    this.#write(encodeError(fields))
    if (complete) this.#ready()
    else this.#skipping = true
  }

  #write(bytes: Buffer): void {
    if (bytes.length > 0 && !this.#ended) this.#socket.write(bytes)
  }

  #ready(): void {
    this.#write(encodeReady(this.#status))
  }
}

/** Codes of the engine's own errors after which it is a new one. @see ../engine/errors.ts */
const ENGINE_LOST = ['57014', '57P01']

const errorFields = (error: unknown): ErrorFields =>
  error instanceof pg.DatabaseError
    ? { severity: 'ERROR', code: error.code ?? 'XX000', message: error.message, detail: error.detail, hint: error.hint }
    : { severity: 'ERROR', code: 'XX000', message: 'internal error' }

/** A statement that fails as told, so that a transaction around it fails as well. */
const refusalQuery = (code: string, message: string): Buffer =>
  encodeScript(
    `do $undock$ begin raise exception using errcode = ${literal(code)}, message = ${literal(message)}; end $undock$`,
  )

async function listening(lease: Lease): Promise<string[]> {
  const { results } = decode(await lease.exchange(encodeScript('select pg_catalog.pg_listening_channels() as channel')))
  return (results[0]?.rows ?? []).map(({ channel }) => String(channel))
}

async function syncStatus(lease: Lease): Promise<TransactionStatus> {
  return decode(await lease.exchange(SYNC)).status
}
