import type { Socket } from 'node:net'
import { DatabaseError } from 'pg-protocol'
import { decode, encodeScript, SYNC } from '../engine/exchange.ts'
import { type ErrorFields, encodeError, encodeNotification, encodeReady, type TransactionStatus } from './backend.ts'
import { CopyIn } from './copy-in.ts'
import { encodeMessage, type FrontendMessage, takeString } from './frontend.ts'
import type { Lease } from './lease.ts'
import { type Filtered, filterResponse } from './response.ts'
import { literal } from './session-state.ts'
import { readTraits, resetsAuthorization, type Traits } from './sql-text.ts'
import type { Greeted } from './startup.ts'
import { Statements } from './statements.ts'
import { type Shared, Turns } from './turns.ts'

/** One client, between its authentication and its end. Its messages come in through `receive`, one at a time. */
export class Connection {
  readonly #socket: Socket
  readonly #processId: number
  readonly #user: string
  readonly #idleLimit: number
  readonly #statements: Statements
  readonly #turns: Turns
  readonly #channels = new Set<string>()
  #status: TransactionStatus = 'I'
  /** Messages not yet sent to the engine, and what the statements in them do. */
  #batch: Buffer[] = []
  #runs: Traits[] = []
  /** For each Close on its way to the engine: whether the client sent it. */
  #closes: boolean[] = []
  /** After an error of our own: as the engine would, ignore all messages up to the Sync. */
  #skipping = false
  #copy: CopyIn | null = null
  #idleTimer: NodeJS.Timeout | undefined
  #ended = false

  constructor(shared: Shared, socket: Socket, processId: number, greeted: Greeted) {
    this.#socket = socket
    this.#processId = processId
    this.#user = greeted.user
    this.#idleLimit = shared.idleLimit
    this.#statements = new Statements(`wire${processId}_`)
    this.#turns = new Turns(shared, this.#statements, greeted)
  }

  get ended(): boolean {
    return this.#ended
  }

  get channels(): ReadonlySet<string> {
    return this.#channels
  }

  notify(channel: string, payload: string): void {
    if (this.#channels.has(channel)) this.#write(encodeNotification(this.#processId, channel, payload))
  }

  /** @throws {ProtocolViolation} */
  async receive(message: FrontendMessage): Promise<void> {
    clearTimeout(this.#idleTimer)
    if (this.#ended) return
    await this.#handle(message)
    // Whatever the client has begun, a transaction or half a batch, it holds the session until it goes on.
    if (this.#turns.lease && !this.#ended) this.#watchIdle()
  }

  /** The client is gone: what it left open is undone, what it prepared is forgotten. */
  async end(): Promise<void> {
    clearTimeout(this.#idleTimer)
    if (this.#ended) return
    this.#ended = true
    const closes = this.#turns.isPrepared ? this.#statements.closeAll() : []
    if (!this.#turns.lease && closes.length === 0) return
    try {
      const hadBegun = this.#turns.lease !== null
      const lease = await this.#turns.take()
      if (hadBegun) await lease.exchange(ROLL_BACK)
      await lease.exchange(Buffer.concat([...closes, SYNC]))
    } catch {
      // The engine was lost, and with it all that was to be undone.
    } finally {
      this.#turns.end()
    }
  }

  #handle(message: FrontendMessage): void | Promise<void> {
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
    if (this.#runs.every(({ copyIn }) => copyIn === 'none')) return this.#send([...this.#batch, SYNC], true)
    return this.#send([refusalQuery('0A000', 'COPY FROM STDIN works with the simple query protocol only')], true)
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

  /** Sends messages to the engine and its answer to the client; then lets the session go, unless a transaction or
   *  an unfinished batch needs it.
   *  @param complete Whether the messages end with a Sync or its like, after which the client waits for ReadyForQuery. */
  async #send(messages: readonly Buffer[], complete: boolean): Promise<void> {
    const runs = this.#runs
    this.#batch = []
    this.#runs = []
    try {
      const lease = await this.#turns.take()
      await this.#turns.expect(runs, lease)
      const answer = this.#filter(await lease.exchange(Buffer.concat(messages)))
      this.#statements.confirm(answer.parsed)
      if (!answer.failed) this.#noteDone(runs)
      if (!complete) return this.#write(answer.bytes)
      this.#closes = []
      this.#status = answer.status ?? (await syncStatus(lease))
      const changes = this.#status === 'I' ? await this.#turns.changes() : []
      if (this.#status === 'I') this.#turns.end()
      this.#write(Buffer.concat([answer.bytes, ...changes]))
      this.#ready()
    } catch (error) {
      this.#fail(error, complete)
    }
  }

  #filter(bytes: Uint8Array): Filtered {
    return filterResponse(bytes, this.#closes, (text) => this.#statements.restoreNames(text))
  }

  #noteDone(runs: readonly Traits[]): void {
    if (runs.some(({ forgetsAll }) => forgetsAll)) this.#turns.forgetAll()
    for (const channel of runs.flatMap(({ unlistens }) => unlistens)) {
      if (channel === '*') this.#channels.clear()
      else this.#channels.delete(channel)
    }
    for (const channel of runs.flatMap(({ listens }) => listens)) this.#channels.add(channel)
  }

  async #beginCopy(text: string): Promise<void> {
    try {
      const lease = await this.#turns.take()
      const copy = await CopyIn.begin(text, this.#status, async (messages) =>
        this.#filter(await lease.exchange(messages)),
      )
      // The statement cannot begin: it is sent as it is for its error.
      if (!copy) return await this.#send([encodeMessage('Q', text), encodeMessage('f', 'not begun')], true)
      this.#copy = copy
      this.#write(copy.invitation)
      if (this.#status === 'I') this.#turns.end()
    } catch (error) {
      this.#fail(error, true)
    }
  }

  async #receiveCopy(copy: CopyIn, message: FrontendMessage): Promise<void> {
    const messages = copy.receive(message)
    if (!messages) return
    this.#copy = null
    await this.#send(messages, true)
  }

  #watchIdle(): void {
    if (this.#idleLimit === 0) return
    this.#idleTimer = setTimeout(() => {
      const message = 'terminating connection due to idle-in-transaction timeout'
      const hint = `The transaction was rolled back: it held the only session of the database for ${this.#idleLimit / 1000} s. Raise idle_in_transaction_timeout under [limits] in supabase/undock.toml if it should.`
      this.#socket.end(encodeError({ severity: 'FATAL', code: '25P03', message, hint }))
      void this.end()
    }, this.#idleLimit)
  }

  /** Tells the client of an error that did not come from the statement itself. */
  #fail(error: unknown, complete: boolean): void {
    const fields = errorFields(error)
    const hadBegun = this.#status !== 'I' || (this.#turns.lease !== null && !complete)
    if (ENGINE_LOST.includes(fields.code)) this.#turns.lose()
    this.#turns.end()
    this.#statements.confirm(0)
    this.#status = 'I'
    this.#closes = []
    this.#runs = []
    if (hadBegun) {
      this.#socket.end(encodeError({ ...fields, severity: 'FATAL' }))
      this.#ended = true
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

const ROLL_BACK = Buffer.concat([SYNC, encodeScript('rollback')])

/** Codes of the engine's own errors after which it is a new one. @see ../engine/errors.ts */
const ENGINE_LOST = ['57014', '57P01']

const errorFields = (error: unknown): ErrorFields =>
  error instanceof DatabaseError
    ? { severity: 'ERROR', code: error.code ?? 'XX000', message: error.message, detail: error.detail, hint: error.hint }
    : { severity: 'ERROR', code: 'XX000', message: 'internal error' }

/** A statement that fails as told, so that a transaction around it fails as well. */
const refusalQuery = (code: string, message: string): Buffer =>
  encodeScript(
    `do $undock$ begin raise exception using errcode = ${literal(code)}, message = ${literal(message)}; end $undock$`,
  )

async function syncStatus(lease: Lease): Promise<TransactionStatus> {
  return decode(await lease.exchange(SYNC)).status
}
