import { randomBytes } from 'node:crypto'
import { isClientAbort } from '../kernel/node-http.ts'
import { BodyTooLargeError, readBody } from '../kernel/request-body.ts'
import type { RealtimeDeps, Transport } from './deps.ts'
import { admitClient, refusalOf } from './handshake.ts'
import type { OpenSockets } from './open-sockets.ts'
import { frameText } from './protocol/frame.ts'
import { Socket } from './socket.ts'

/** Messages read per request, as in Phoenix. */
const MAX_BATCH = 100
/** The largest body Phoenix reads, in bytes. */
const MAX_BODY = 8_000_000

type Client = { readonly session: LongPollSession; readonly socket: Socket }

/** Phoenix's long polling, for networks that block WebSockets: GET waits for messages, POST sends some. The HTTP status
 *  is always 200; the body has the real one, and 410 announces a new session.
 *  @see phoenix lib/phoenix/transports/long_poll.ex */
export class LongPoll {
  readonly #deps: RealtimeDeps
  readonly #open: OpenSockets
  readonly #clients = new Map<string, Client>()

  constructor(deps: RealtimeDeps, open: OpenSockets) {
    this.#deps = deps
    this.#open = open
  }

  async handle(request: Request): Promise<Response> {
    const query = new URL(request.url).searchParams
    const token = query.get('token') ?? ''
    const client = this.#clients.get(token)
    client?.socket.touch()
    if (request.method === 'GET') return client ? poll(token, client, request.signal) : this.#begin(query, request)
    if (request.method !== 'POST') return new Response('', { status: 400 })
    return client ? this.#receive(request, client) : answer(410)
  }

  async #begin(query: URLSearchParams, { headers }: Request): Promise<Response> {
    try {
      const handshake = { query, headers, open: this.#open, task: null }
      const { version, ...client } = await admitClient(handshake, this.#deps)
      const token = randomBytes(24).toString('base64url')
      const session = new LongPollSession(this.#deps.limits.pollWindow, () => {
        this.#clients.delete(token)
        this.#open.remove(socket)
      })
      const socket = new Socket(
        session,
        { ...client, version: version === '2.0.0' ? '2.0.0-text' : version },
        this.#deps,
      )
      this.#open.add(socket)
      this.#clients.set(token, { session, socket })
      return answer(410, { token, messages: [] })
    } catch (error) {
      return answer(refusalOf(error, this.#deps).status >= 500 ? 500 : 403)
    }
  }

  async #receive(request: Request, { session, socket }: Client): Promise<Response> {
    try {
      const body = (await readBody(request, MAX_BODY)).toString()
      const isBatch = request.headers.get('content-type') === 'application/x-ndjson'
      const messages = isBatch ? body.split(/\r?\n/).filter(Boolean).slice(0, MAX_BATCH) : [body]
      for (const message of messages) {
        if (!session.isOpen) return answer(410)
        // Text frames are JSON; clients send binary ones as base64.
        const isText = /^[[{]/.test(message)
        socket.receive(Buffer.from(message, isText ? 'utf8' : 'base64'), !isText)
      }
      return answer(200)
    } catch (error) {
      if (error instanceof BodyTooLargeError) return answer(413)
      if (!isClientAbort(error)) this.#deps.log.error('UnknownErrorOnLongPollMessage', error)
      return answer(500)
    }
  }
}

async function poll(token: string, { session, socket }: Client, signal: AbortSignal): Promise<Response> {
  const messages = await session.take(signal)
  socket.touch()
  return answer(messages.length > 0 ? 200 : 204, { token, messages })
}

const answer = (status: number, rest: object = {}): Response =>
  Response.json({ status, ...rest }, { headers: { 'cache-control': 'no-store' } })

class LongPollSession implements Transport {
  readonly carrier = 'long polling'
  readonly silence: number
  readonly #window: number
  readonly #onEnd: () => void
  #messages: string[] = []
  #bytes = 0
  #isOpen = true
  #wake: () => void = () => undefined

  /** @param window Milliseconds a request waits for messages. */
  constructor(window: number, onEnd: () => void) {
    this.#window = window
    // As in Phoenix: live clients poll again immediately.
    this.silence = window * 1.5
    this.#onEnd = onEnd
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  get backlog(): number {
    return this.#bytes
  }

  send(wire: Buffer): void {
    this.#messages.push(frameText(wire))
    this.#bytes += wire.length
    this.#wake()
  }

  /** Returns the messages since the last call. Waits for one until the window ends, the client disconnects, the session
   *  ends or the client polls again. */
  async take(gone: AbortSignal): Promise<readonly string[]> {
    this.#wake()
    if (this.#messages.length === 0 && this.#isOpen) await this.#nextMessage(gone)
    if (gone.aborted) return []
    const messages = this.#messages
    this.#messages = []
    this.#bytes = 0
    return messages
  }

  close(): void {
    this.terminate()
  }

  terminate(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#wake()
    this.#onEnd()
  }

  #nextMessage(gone: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(late)
        gone.removeEventListener('abort', wake)
        resolve()
      }
      const late = setTimeout(wake, this.#window)
      gone.addEventListener('abort', wake)
      this.#wake = wake
    })
  }
}
