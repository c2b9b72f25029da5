import type { Socket } from 'node:net'
import { DatabaseError } from 'pg-protocol'
import { quoteIdentifier } from '../../kernel/sql.ts'
import type { Notification } from '../db.ts'
import { decode, encodeScript, SYNC, type TransactionStatus } from '../protocol/exchange.ts'
import { encodeMessage } from '../protocol/frames.ts'
import type { Session } from '../session.ts'
import { literal } from '../statements/literal.ts'
import { refusalStatement } from '../statements/refusal.ts'
import { type ErrorFields, encodeError, encodeNotice, encodeNotification, encodeReady } from './backend-messages.ts'
import { type ClientResponse, filterResponse } from './client-response.ts'
import { ClientSession, type ListenerState } from './client-session.ts'
import { ClientStatements } from './client-statements.ts'
import { CopyIn } from './copy-in.ts'
import { type FrontendMessage, messageTooLarge, ProtocolError, takeString } from './frontend-messages.ts'
import type { StartedClient } from './startup.ts'
import { preparedNames, readEffects, resetsAuthorization, type StatementEffects } from './statement-effects.ts'

export type ConnectionOptions = {
  readonly listener: ListenerState
  readonly socket: Socket
  readonly client: StartedClient
  /** The most bytes that the client may send without waiting for a response. */
  readonly maxMessageSize: number
}

/** The connection of one client, from its authentication to its end. It gets the client's messages by `receive`, one at a time. */
export class Connection {
  readonly #socket: Socket
  readonly #user: string
  readonly #idleLimit: number
  readonly #maxMessageSize: number
  readonly #statements: ClientStatements
  readonly #client: ClientSession
  readonly #channels = new Set<string>()
  #status: TransactionStatus = 'I'
  /** Messages that were not sent to the engine yet; `#effects` are those of their statements. */
  #batch: Buffer[] = []
  #batchSize = 0
  /** Names of statements that the client prepared by SQL; they would stay in the session. */
  readonly #prepared = new Set<string>()
  #effects: StatementEffects[] = []
  /** For each Close that was sent to the engine, whether it came from the client. */
  #closes: boolean[] = []
  /** After an error that this connection reported: all messages up to the next Sync are ignored, as Postgres does. */
  #isSkippingToSync = false
  #copy: CopyIn | null = null
  /** Cancels what runs, or waits for its turn; null while the connection is idle. */
  #running: AbortController | null = null
  #idleTimer: NodeJS.Timeout | undefined
  #ended = false
  readonly #listener: ListenerState
  /** The beginning of the last statement, for the log. */
  #lastStatement = ''
  #hasWarnedOfAdvisoryLocks = false

  constructor({ listener, socket, client, maxMessageSize }: ConnectionOptions) {
    this.#maxMessageSize = maxMessageSize
    this.#socket = socket
    this.#user = client.user
    this.#listener = listener
    this.#idleLimit = listener.idleLimit
    this.#statements = new ClientStatements(`wire${client.processId}_`)
    this.#client = new ClientSession(listener, this.#statements, client, {
      lastStatement: () => this.#lastStatement,
      notice: (message, hint) => this.#write(encodeNotice(message, hint)),
    })
  }

  get ended(): boolean {
    return this.#ended
  }

  get channels(): ReadonlySet<string> {
    return this.#channels
  }

  notify({ processId = 0, channel, payload }: Notification): void {
    if (this.#channels.has(channel)) this.#write(encodeNotification(processId, channel, payload))
  }

  /** Ends the statement that runs, or waits for its turn, with 57014. */
  cancel(): void {
    this.#running?.abort()
    this.#copy?.cancel()
  }

  /** @throws {ProtocolError} */
  async receive(message: FrontendMessage): Promise<void> {
    clearTimeout(this.#idleTimer)
    if (this.#ended) return
    await this.#handle(message)
    // A client with an open transaction or an unfinished batch keeps the session until it continues.
    if (this.#client.isHeld && !this.#ended) this.#watchIdle()
  }

  /** Ends the connection: rolls back an open transaction and drops prepared statements. */
  async end(): Promise<void> {
    clearTimeout(this.#idleTimer)
    if (this.#ended) return
    this.#ended = true
    const closes = this.#client.isPrepared ? this.#statements.closeAll() : []
    const hasTemporary = await this.#client.hasTemporaryObjects()
    if (!this.#client.isHeld && closes.length === 0 && this.#prepared.size === 0 && !hasTemporary) return
    try {
      const hasOpenWork = this.#client.isHeld
      const session = await this.#client.acquire()
      if (hasOpenWork) await session.exchange(ROLL_BACK)
      await session.exchange(Buffer.concat([...closes, SYNC]))
      // Fails for a name that was deallocated already.
      for (const name of this.#prepared)
        await session.exchange(encodeScript(`deallocate ${quoteIdentifier(this.#statements.engineName(name))}`))
      await this.#client.dropTemporaryObjects()
    } catch {
      // The engine was lost, and with it everything that had to be undone.
    } finally {
      this.#client.release()
    }
  }

  #handle(message: FrontendMessage): void | Promise<void> {
    if (this.#copy) return this.#receiveCopy(this.#copy, message)
    if (this.#isSkippingToSync && message.type !== 'S') return
    switch (message.type) {
      case 'Q':
        return this.#query(takeString(message.body).text)
      case 'S':
        return this.#sync()
      case 'H':
        return this.#send([...this.#batch, encodeMessage('H')], 'partial')
      case 'F':
        return this.#send([...this.#batch, encodeMessage('F', message.body)], 'complete')
      case 'd':
      case 'c':
      case 'f':
        // Remains of a COPY that has failed; Postgres ignores them too.
        return
      default:
        return this.#collect(message)
    }
  }

  #collect(message: FrontendMessage): void {
    // Another message type would end the engine, and with it the session of all clients.
    if (!'PBDEC'.includes(message.type)) throw new ProtocolError(`unexpected message type "${message.type}"`)
    const { messages, closesFirst, effects } = this.#statements.rewrite(message)
    if (effects) this.#effects.push(effects)
    if (closesFirst) this.#closes.push(false)
    if (message.type === 'C') this.#closes.push(true)
    this.#batch.push(...messages)
    for (const one of messages) this.#batchSize += one.length
    if (this.#batchSize > this.#maxMessageSize) throw messageTooLarge(this.#maxMessageSize)
  }

  async #sync(): Promise<void> {
    const hadFailed = this.#isSkippingToSync
    this.#isSkippingToSync = false
    if (hadFailed) return this.#ready()
    if (this.#effects.every(({ copyIn }) => copyIn === 'none')) return this.#send([...this.#batch, SYNC], 'complete')
    return this.#send([refusalQuery('COPY FROM STDIN works with the simple query protocol only')], 'complete')
  }

  async #query(text: string): Promise<void> {
    const traits = readEffects(text)
    this.#effects.push(traits)
    for (const name of preparedNames(text)) this.#prepared.add(name)
    switch (traits.copyIn) {
      case 'alone':
        return this.#beginCopy(text)
      case 'among others':
        return this.#send([refusalQuery('COPY FROM STDIN must be sent alone, without other statements')], 'complete')
      case 'none': {
        const own = resetsAuthorization(text) ? `set session authorization ${literal(this.#user)}` : text
        return this.#send([...this.#batch, encodeMessage('Q', this.#statements.rewriteText(own))], 'complete')
      }
    }
  }

  /** Sends messages to the engine and its response to the client; then releases the session, unless a transaction or an
   *  unfinished batch needs it. */
  async #send(messages: readonly Buffer[], kind: BatchKind): Promise<void> {
    const runs = this.#effects
    const hadBatch = this.#batch.length > 0
    this.#batch = []
    this.#batchSize = 0
    this.#effects = []
    this.#lastStatement = runs.at(-1)?.summary ?? this.#lastStatement
    if (runs.some(({ takesAdvisoryLock }) => takesAdvisoryLock)) this.#warnOfAdvisoryLocks()
    this.#running = new AbortController()
    const { signal } = this.#running
    try {
      const session = await this.#client.acquire(signal)
      await this.#client.recordEffects(runs, session)
      const answer = this.#filter(await session.exchange(Buffer.concat(messages), signal))
      this.#running = null
      this.#statements.confirm(answer.parsed)
      if (!answer.failed) this.#applyEffects(runs)
      if (kind === 'partial') return this.#write(answer.bytes)
      this.#closes = []
      // After an error in a batch the engine ignores everything up to a Sync, whatever status it reported.
      const isIgnoring = answer.failed && hadBatch
      this.#status = (isIgnoring ? null : answer.status) ?? (await syncStatus(session))
      const changes = this.#status === 'I' ? await this.#client.takeParameterChanges() : []
      if (this.#status === 'I') this.#client.release()
      this.#write(Buffer.concat([answer.bytes, ...changes]))
      this.#ready()
    } catch (error) {
      this.#running = null
      this.#fail(error, kind)
    }
  }

  #filter(bytes: Uint8Array): ClientResponse {
    return filterResponse(bytes, this.#closes, (text) => this.#statements.restoreNames(text))
  }

  #applyEffects(runs: readonly StatementEffects[]): void {
    if (runs.some(({ deallocatesAll }) => deallocatesAll)) this.#client.deallocateAll()
    for (const channel of runs.flatMap(({ unlistens }) => unlistens)) {
      if (channel === '*') this.#channels.clear()
      else this.#channels.delete(channel)
    }
    for (const channel of runs.flatMap(({ listens }) => listens)) this.#channels.add(channel)
  }

  /** All clients are one session to Postgres, which grants each of them a lock that another one has. */
  #warnOfAdvisoryLocks(): void {
    if (!this.#hasWarnedOfAdvisoryLocks) this.#write(encodeNotice(ADVISORY_LOCKS, ADVISORY_LOCKS_HINT))
    this.#hasWarnedOfAdvisoryLocks = true
    if (!this.#listener.hasWarnedOfAdvisoryLocks) this.#listener.log.warn(`${ADVISORY_LOCKS}. ${ADVISORY_LOCKS_HINT}`)
    this.#listener.hasWarnedOfAdvisoryLocks = true
  }

  async #beginCopy(text: string): Promise<void> {
    this.#running = new AbortController()
    const { signal } = this.#running
    try {
      const session = await this.#client.acquire(signal)
      this.#running = null
      const copy = await CopyIn.begin(text, this.#status, async (messages) =>
        this.#filter(await session.exchange(messages)),
      )
      // The statement cannot begin: it is sent unchanged, and the client gets its error.
      if (!copy) return await this.#send([encodeMessage('Q', text), encodeMessage('f', 'not begun')], 'complete')
      this.#copy = copy
      this.#write(copy.response)
      if (this.#status === 'I') this.#client.release()
    } catch (error) {
      this.#running = null
      this.#fail(error, 'complete')
    }
  }

  async #receiveCopy(copy: CopyIn, message: FrontendMessage): Promise<void> {
    const messages = copy.receive(message)
    if (!messages) return
    this.#copy = null
    await this.#send(messages, 'complete')
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

  /** Reports an error to the client that did not come from the statement itself. */
  #fail(error: unknown, kind: BatchKind): void {
    const fields = errorFields(error)
    const hasOpenWork = this.#status !== 'I' || (this.#client.isHeld && kind === 'partial')
    // A statement whose turn did not come did not reach the engine.
    if (this.#client.isHeld && ENGINE_LOST.includes(fields.code)) this.#client.invalidateStatements()
    this.#client.release()
    this.#statements.confirm(0)
    this.#status = 'I'
    this.#closes = []
    this.#effects = []
    if (hasOpenWork) {
      this.#socket.end(encodeError({ ...fields, severity: 'FATAL' }))
      this.#ended = true
      return
    }
    this.#write(encodeError(fields))
    if (kind === 'complete') this.#ready()
    else this.#isSkippingToSync = true
  }

  #write(bytes: Buffer): void {
    if (bytes.length > 0 && !this.#ended) this.#socket.write(bytes)
  }

  #ready(): void {
    this.#write(encodeReady(this.#status))
  }
}

const ADVISORY_LOCKS = 'session-level advisory locks exclude nobody on PGlite, where all clients share one session'
const ADVISORY_LOCKS_HINT = 'Use pg_advisory_xact_lock in a transaction, or engine = "native" in supabase/undock.toml.'

/** `complete` messages end with Sync, Query or FunctionCall, after which the client waits for ReadyForQuery. */
type BatchKind = 'complete' | 'partial'

const ROLL_BACK = Buffer.concat([SYNC, encodeScript('rollback')])

/** Codes of errors after which the engine is reopened (protocol/errors.ts). */
const ENGINE_LOST = ['57014', '57P01']

const errorFields = (error: unknown): ErrorFields =>
  error instanceof DatabaseError
    ? { severity: 'ERROR', code: error.code ?? 'XX000', message: error.message, detail: error.detail, hint: error.hint }
    : { severity: 'ERROR', code: 'XX000', message: 'internal error' }

const refusalQuery = (message: string): Buffer => encodeScript(refusalStatement({ code: '0A000', message }))

async function syncStatus(session: Session): Promise<TransactionStatus> {
  return decode(await session.exchange(SYNC)).status
}
