import type { Identity } from '../identity/identity.ts'
import type { Bus } from '../kernel/bus.ts'
import type { Clock, Log } from '../kernel/service.ts'
import type { Tracer } from '../kernel/tracer.ts'
import type { Authorization } from './authorization.ts'
import type { Changes } from './changes/changes.ts'
import type { BroadcastReceiver } from './delivery.ts'
import type { Limits, RateWindow } from './limits.ts'
import type { Presence } from './presence.ts'
import type { FlushScheduler } from './protocol/outbox.ts'
import type { PubSub } from './pub-sub.ts'
import type { Replay } from './replay.ts'

export type RealtimeDeps = {
  readonly identity: Identity
  readonly clock: Clock
  readonly log: Log
  readonly limits: Limits
  readonly privateOnly: boolean
  isForeign(handshake: { readonly headers: Headers }): boolean
  readonly authorization: Authorization
  readonly pubSub: PubSub<BroadcastReceiver>
  readonly bus: Bus
  readonly presence: Presence
  readonly changes: Changes
  readonly replay: Replay
  readonly tracer: Tracer
  readonly flushScheduler: FlushScheduler
  readonly joins: RateWindow
  readonly presenceEvents: RateWindow
}

export type CloseCode = 1000 | 1001 | 1012

/** A client's message channel: a WebSocket or long polling. */
export type Transport = {
  readonly carrier: 'websocket' | 'long polling'
  readonly isOpen: boolean
  /** Bytes not yet sent. */
  readonly backlog: number
  /** Milliseconds of silence after which the client counts as gone. */
  readonly silence: number
  /** @param wire A complete WebSocket frame. */
  send(wire: Buffer): void
  /** Closes after pending frames. @param code 1000 when done, 1001 when the server stops, 1012 to make the client
   *  reconnect. */
  close(code: CloseCode): void
  terminate(): void
}
