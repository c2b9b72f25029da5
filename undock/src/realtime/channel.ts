import { randomUUID } from 'node:crypto'
import { ALLOW_ALL, type Permission, type Policies, UNCHECKED, unauthorized } from './authorization.ts'
import { awaitChanges, listenToChanges, SUBSCRIBED } from './changes/listen-to-changes.ts'
import type { ChangeListener } from './changes/subscriptions.ts'
import { sendBroadcast, withholdsUnreadable } from './delivery.ts'
import type { RealtimeDeps } from './deps.ts'
import { ChannelError } from './errors.ts'
import { RateWindow } from './limits.ts'
import { encodeBroadcast, encodeText, type Version, wireFrame } from './protocol/frame.ts'
import type { JoinRequest } from './protocol/join.ts'
import { type PublishedMessage, type Subscriber, topicKey } from './pub-sub.ts'
import { publishBroadcast } from './remote-broadcasts.ts'
import { parseReplay, type ReplayedMessage } from './replay.ts'
import { type Bearer, expired, isApiKey, secondsOverdue, verifyBearer } from './token.ts'

/** What a client's handshake said. @property handshake Its id in the tracer. */
export type Client = {
  readonly version: Version
  readonly bearer: Bearer
  /** Whether the handshake's origin is another machine. */
  readonly isForeign: boolean
  /** Of the upgrade request; visible to policies as `request.headers`. */
  readonly headers: Readonly<Record<string, string>>
  readonly handshake: string | null
}

export type Connection = {
  readonly client: Client
  send(wire: Buffer): void
  forget(channel: Channel): void
}

type Admitted = {
  readonly bearer: Bearer
  readonly policies: Policies
  readonly replay: readonly ReplayedMessage[]
  readonly task: string | null
}

export type Reply = { readonly status: 'ok' | 'error'; readonly response: unknown }

export class Channel implements Subscriber, ChangeListener {
  readonly topic: string
  /** The topic without `realtime:`, as policies see it. */
  readonly name: string
  readonly key: string
  readonly joinRef: string | null
  readonly version: Version
  readonly request: JoinRequest
  readonly deps: RealtimeDeps
  readonly presenceKey: string
  readonly events: RateWindow
  readonly presenceCalls: RateWindow
  bearer: Bearer
  policies: Policies
  /** JSON of the tracked state, to detect changes. */
  tracked: string | null = null
  isOpen = true
  presenceEnabled: boolean
  readonly replayed: ReadonlySet<string>
  readonly #task: string | null
  readonly #connection: Connection
  readonly #replay: readonly ReplayedMessage[]

  private constructor(
    topic: string,
    joinRef: string | null,
    request: JoinRequest,
    admitted: Admitted,
    connection: Connection,
    deps: RealtimeDeps,
  ) {
    this.topic = topic
    this.name = channelName(topic)
    this.key = topicKey(this.name, { isPrivate: request.isPrivate })
    this.joinRef = joinRef
    this.version = connection.client.version
    this.request = request
    this.deps = deps
    this.presenceKey = request.presenceKey ?? randomUUID()
    this.events = new RateWindow(deps.limits.eventsPerSecond)
    this.presenceCalls = new RateWindow(deps.limits.presenceCalls, deps.limits.presenceWindow)
    this.presenceEnabled = request.presence
    this.bearer = admitted.bearer
    this.policies = admitted.policies
    this.#replay = admitted.replay
    this.replayed = new Set(admitted.replay.map(({ id }) => id))
    this.#connection = connection
    this.#task = admitted.task
  }

  /** Admits a client to a topic. Checks run in upstream's order (RealtimeChannel.join/3).
   *  @param task The join's id in the tracer. @throws {ChannelError} */
  static async join(
    { topic, joinRef, task }: { readonly topic: string; readonly joinRef: string | null; readonly task: string | null },
    request: JoinRequest,
    connection: Connection,
    deps: RealtimeDeps,
  ): Promise<Channel> {
    if (deps.privateOnly && !request.isPrivate) throw new ChannelError('PrivateOnly')
    const { client } = connection
    const token = request.token === null || isApiKey(request.token) ? client.bearer.credential : request.token
    const bearer = await verifyBearer(token, deps, client.isForeign)
    const name = channelName(topic)
    const policies = await readPolicies(
      name,
      { isPrivate: request.isPrivate, withPresence: request.presence },
      { bearer, headers: client.headers },
      deps,
    )
    if (request.replay !== null && policies.broadcast.read === false) throw unauthorized(name)
    const options = parseReplay(request)
    const replay = options ? await deps.replay(name, options) : []
    const channel = new Channel(topic, joinRef, request, { bearer, policies, replay, task }, connection, deps)
    if (request.changesWait !== null) await awaitChanges(channel, request.changesWait)
    return channel
  }

  /** Sends the replay and subscribes to changes, after the join was answered. */
  start(): void {
    for (const { broadcast } of this.#replay) {
      const frame = encodeBroadcast(this.topic, broadcast, this.version)
      if (frame) this.deliver(wireFrame(frame.data, frame.binary))
    }
    this.deps.pubSub.add(this.key, this)
    if (this.request.presence && this.policies.presence.read)
      this.push('presence_state', this.deps.presence.state(this.key))
    if (this.request.replicationReady) this.system('system', 'ok', 'Replication connection established')
    if (this.request.changesWait === null) void listenToChanges(this)
    else this.system('postgres_changes', 'ok', SUBSCRIBED)
  }

  publish(message: PublishedMessage): void {
    const broadcast = { topic: this.name, isPrivate: this.request.isPrivate, message }
    sendBroadcast(this.deps, {
      ...broadcast,
      withholds: (subscriber) =>
        subscriber === this && !this.request.self ? 'sender' : withholdsUnreadable(subscriber),
      task: this.#task,
    })
    publishBroadcast(this.deps.bus, broadcast)
  }

  async authorize(access: 'read' | 'write', extensions: readonly ('broadcast' | 'presence')[]): Promise<void> {
    const caller = { claims: this.bearer.claims, headers: this.#connection.client.headers }
    this.policies = await this.deps.authorization.ask(access, extensions, {
      topic: this.name,
      caller,
      policies: this.policies,
    })
  }

  deliver(wire: Buffer): void {
    this.#connection.send(wire)
  }

  push(event: string, payload: unknown): void {
    this.#send(event, null, JSON.stringify(payload))
  }

  reply(ref: string | null, reply: Reply): void {
    this.#send('phx_reply', ref, JSON.stringify(reply))
  }

  system(extension: 'system' | 'postgres_changes', status: 'ok' | 'error', message: string): void {
    this.push('system', { extension, status, message, channel: this.name })
  }

  /** Closes the channel and tells the subscriber why. */
  shutDown(message: string): void {
    if (this.isOpen) this.#end('system', message, 'phx_close')
  }

  fail(message: string): void {
    if (this.isOpen) this.#end('postgres_changes', message, 'phx_error')
  }

  #end(extension: 'system' | 'postgres_changes', message: string, event: 'phx_close' | 'phx_error'): void {
    this.system(extension, 'error', message)
    this.close()
    this.#connection.forget(this)
    this.#send(event, this.joinRef, '{}')
  }

  /** Closes the channel if its token has expired. */
  checkExpiry(): void {
    const overdue = secondsOverdue(this.bearer, this.deps.clock)
    if (overdue >= 0) this.shutDown(expired(overdue).message)
  }

  close(): void {
    this.isOpen = false
    this.deps.pubSub.remove(this.key, this)
    this.deps.presence.untrack(this.key, this)
    this.deps.changes.unsubscribe(this)
  }

  #send(event: string, ref: string | null, payload: string): void {
    const { topic, joinRef, version } = this
    this.#connection.send(wireFrame(encodeText({ topic, joinRef, ref, event, payload }, version), false))
  }

  /** Verifies a new access token and re-evaluates the policies; closes the channel if it lost a permission. */
  async refresh(payload: unknown): Promise<void> {
    const token = (payload as { access_token?: unknown } | null)?.access_token
    if (typeof token !== 'string' || isApiKey(token) || token === this.bearer.credential) return
    const before = this.policies
    try {
      const { isForeign, headers } = this.#connection.client
      const bearer = await verifyBearer(token, this.deps, isForeign)
      const caller = { bearer, headers }
      const policies = await readPolicies(
        this.name,
        { isPrivate: this.request.isPrivate, withPresence: this.presenceEnabled },
        caller,
        this.deps,
      )
      if (!this.isOpen) return
      if (revoked(before.broadcast, policies.broadcast) || revoked(before.presence, policies.presence))
        return this.shutDown(`You no longer have permission to read from this Channel topic: ${this.name}`)
      this.bearer = bearer
      this.policies = policies
      void listenToChanges(this)
    } catch (error) {
      if (!(error instanceof ChannelError)) this.deps.log.error('UnknownErrorOnChannel', error)
      this.shutDown(error instanceof ChannelError ? error.message : 'Unknown Error on Channel')
    }
  }
}

const channelName = (topic: string) => topic.slice('realtime:'.length)

const revoked = (before: Permission, now: Permission) => before.read === true && now.read === false

/** Private channels need permission to read broadcasts or presence. */
async function readPolicies(
  name: string,
  { isPrivate, withPresence }: { readonly isPrivate: boolean; readonly withPresence: boolean },
  { bearer, headers }: { bearer: Bearer; headers: Readonly<Record<string, string>> },
  deps: RealtimeDeps,
): Promise<Policies> {
  if (!isPrivate) return ALLOW_ALL
  const extensions = withPresence ? (['broadcast', 'presence'] as const) : (['broadcast'] as const)
  const caller = { claims: bearer.claims, headers }
  const policies = await deps.authorization.ask('read', extensions, { topic: name, caller, policies: UNCHECKED })
  if (!policies.broadcast.read && !policies.presence.read) throw unauthorized(name)
  return policies
}
