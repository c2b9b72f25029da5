import { TokenError } from '../identity/identity.ts'
import type { Policies } from './authorization.ts'
import { changeBindings } from './changes/params.ts'
import { Channel, type Client, type Connection, type Reply } from './channel.ts'
import type { CloseCode, RealtimeDeps, Transport } from './deps.ts'
import { ChannelError } from './errors.ts'
import { decodeFrame, encodeText, type Incoming, MalformedFrameError, wireFrame } from './protocol/frame.ts'
import { parseJoin } from './protocol/join.ts'
import { receiveMessage } from './receive-message.ts'

/** A topic on a socket: its channel once joined, and pending messages in order. */
type Slot = { channel: Channel | null; work: Promise<void> | null; waiting: number }

/** Messages that may wait per topic during a database query. */
const WAITING = 1_000

/** For the tracer: the client disconnected before the reply (nginx's code). */
const CLIENT_GONE = 499

export class Socket implements Connection {
  readonly client: Client
  readonly #transport: Transport
  readonly #deps: RealtimeDeps
  readonly connectedAt: Date
  readonly #slots = new Map<string, Slot>()
  #heardAt = performance.now()
  #retirement: NodeJS.Timeout | null = null

  constructor(transport: Transport, client: Client, deps: RealtimeDeps) {
    this.client = client
    this.connectedAt = deps.clock.now()
    this.#transport = transport
    this.#deps = deps
  }

  get channels(): readonly Channel[] {
    return [...this.#slots.values()].flatMap(({ channel }) => channel ?? [])
  }

  get carrier(): Transport['carrier'] {
    return this.#transport.carrier
  }

  send(wire: Buffer): void {
    if (!this.#transport.isOpen) return
    const { backlog } = this.#transport
    if (backlog > this.#deps.limits.backlogBytes) {
      this.#deps.log.warn('A client reads too slowly and is dropped', { backlog })
      this.#transport.terminate()
      return
    }
    this.#transport.send(wire)
  }

  forget(channel: Channel): void {
    const slot = this.#slots.get(channel.topic)
    if (slot?.channel !== channel) return
    slot.channel = null
    if (!slot.work) this.#slots.delete(channel.topic)
  }

  /** Closes silent clients, and channels with expired tokens. */
  sweep(): void {
    if (performance.now() - this.#heardAt > this.#transport.silence) this.#transport.terminate()
    else for (const { channel } of this.#slots.values()) channel?.checkExpiry()
  }

  end(): void {
    if (this.#retirement) clearTimeout(this.#retirement)
    for (const { channel } of this.#slots.values()) channel?.close()
    this.#slots.clear()
  }

  close(code: CloseCode = 1001): void {
    this.#transport.close(code)
  }

  /** Asks the client to reconnect after `delay` milliseconds, or as soon as it joins something. */
  retire(delay: number): void {
    this.#retirement ??= setTimeout(() => this.close(1012), delay)
  }

  touch(): void {
    this.#heardAt = performance.now()
  }

  receive(data: Buffer, isBinary: boolean): void {
    this.touch()
    let message: Incoming
    try {
      message = decodeFrame(data, isBinary, this.client.version)
    } catch (error) {
      if (!(error instanceof MalformedFrameError)) throw error
      this.#deps.log.warn('MalformedWebSocketMessage', { reason: error.message })
      return
    }
    if (message.topic === 'phoenix') {
      if (message.kind === 'message' && message.event === 'heartbeat')
        this.#reply(message, { status: 'ok', response: {} })
      return
    }
    const slot = this.#slots.get(message.topic)
    if (slot?.work) {
      if (slot.waiting >= WAITING) {
        this.#transport.terminate()
        return
      }
      slot.waiting += 1
      slot.work = slot.work.then(() => {
        slot.waiting -= 1
        return this.#handle(message)
      })
    } else {
      const work = this.#handle(message)
      if (work) this.#track(message.topic, work)
    }
  }

  /** Keeps a topic's messages in order while one waits for the database. */
  #track(topic: string, work: Promise<void>): void {
    const slot = this.#slots.get(topic) ?? { channel: null, work: null, waiting: 0 }
    this.#slots.set(topic, slot)
    slot.work = work
    const settle = (): void => {
      const last = slot.work
      void last
        ?.catch((error) => this.#deps.log.error('UnknownErrorOnWebSocketMessage', error))
        .then(() => {
          if (slot.work !== last) return settle()
          slot.work = null
          if (!slot.channel && this.#slots.get(topic) === slot) this.#slots.delete(topic)
        })
    }
    settle()
  }

  #handle(message: Incoming): Promise<void> | void {
    const channel = this.#slots.get(message.topic)?.channel
    if (message.kind === 'message' && message.event === 'phx_join') return this.#join(message, message.payload)
    if (message.kind === 'message' && message.event === 'phx_leave') {
      this.#reply(message, { status: 'ok', response: {} })
      if (channel) this.#closeChannel(channel)
      return
    }
    if (channel) return receiveMessage(channel, message)
    this.#reply(message, { status: 'error', response: { reason: 'unmatched topic' } })
  }

  async #join(message: Incoming, payload: unknown): Promise<void> {
    if (this.#retirement) {
      this.close(1012)
      return
    }
    const task = { service: 'realtime', method: 'JOIN', path: message.topic, parent: this.client.handshake }
    await this.#deps.tracer.task(
      task,
      (id) => this.#answerJoin(message, payload, id),
      (status) => status,
    )
  }

  /** @param task The join's id in the tracer. @returns an HTTP-like status. */
  async #answerJoin(message: Incoming, payload: unknown, task: string | null): Promise<number> {
    const { topic, joinRef } = message
    const slot = this.#slots.get(topic)
    if (slot?.channel) this.#closeChannel(slot.channel)
    try {
      this.#admit(topic)
      const request = parseJoin(payload, topic.slice('realtime:'.length))
      const channel = await Channel.join({ topic, joinRef, task }, request, this, this.#deps)
      this.#noteJoin(topic, 'joined', request.isPrivate ? channel.policies : null)
      if (!this.#transport.isOpen) {
        channel.close()
        return CLIENT_GONE
      }
      const joined = this.#slots.get(topic)
      if (joined) joined.channel = channel
      this.#reply(message, {
        status: 'ok',
        response: { postgres_changes: changeBindings(request.postgresChanges) },
      })
      channel.start()
      return 200
    } catch (error) {
      const reason = this.#refuse(message, error)
      this.#noteJoin(topic, reason, null)
      return error instanceof ChannelError ? error.status : error instanceof UnmatchedTopicError ? 404 : 500
    }
  }

  /** @param policies Null for a public channel and for a refused join. */
  #noteJoin(topic: string, verdict: string, policies: Policies | null): void {
    this.#deps.tracer.note(() => ({
      kind: 'join',
      topic,
      verdict,
      allowed: policies && {
        'to receive broadcasts': policies.broadcast.read,
        'to send broadcasts': policies.broadcast.write,
        'to see presence': policies.presence.read,
        'to be present': policies.presence.write,
      },
    }))
  }

  /** @throws {ChannelError} */
  #admit(topic: string): void {
    const { joins, limits } = this.#deps
    if (!topic.startsWith('realtime:')) throw new UnmatchedTopicError()
    if (topic === 'realtime:') throw new ChannelError('TopicNameRequired')
    if (!joins.admit(performance.now())) throw new ChannelError('ClientJoinRateLimitReached')
    let others = 0
    for (const [name, slot] of this.#slots) if (name !== topic && (slot.channel || slot.work)) others += 1
    if (others >= limits.channelsPerSocket) throw new ChannelError('ChannelRateLimitReached')
  }

  /** @returns the reason sent to the client. */
  #refuse(message: Incoming, error: unknown): string {
    const known = error instanceof ChannelError || error instanceof UnmatchedTopicError
    // Failing policies are logged where they fail.
    const isLogged = error instanceof ChannelError && error.code === 'Unauthorized'
    const isTokenRefused = error instanceof ChannelError && error.cause instanceof TokenError
    if (!known || (error.cause && !isLogged && !isTokenRefused))
      this.#deps.log.error('A channel could not be joined', error, { topic: message.topic })
    const reason = known ? error.reason : 'Unknown Error on Channel'
    this.#reply(message, { status: 'error', response: { reason } })
    // Upstream closes the whole connection of a client that joins too fast.
    if (error instanceof ChannelError && error.code === 'ClientJoinRateLimitReached') this.#transport.close(1000)
    return reason
  }

  #closeChannel(channel: Channel): void {
    channel.close()
    this.forget(channel)
    const { topic, joinRef } = channel
    this.#write({ topic, joinRef, ref: joinRef, event: 'phx_close', payload: '{}' })
  }

  #reply({ topic, joinRef, ref }: Incoming, reply: Reply): void {
    this.#write({ topic, joinRef, ref, event: 'phx_reply', payload: JSON.stringify(reply) })
  }

  #write(message: Parameters<typeof encodeText>[0]): void {
    this.send(wireFrame(encodeText(message, this.client.version), false))
  }
}

/** Phoenix's reply for an unknown topic. It exists on sockets only, so it has no code or status. */
class UnmatchedTopicError extends Error {
  readonly reason = 'unmatched topic'
}
