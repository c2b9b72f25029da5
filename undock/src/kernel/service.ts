import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'

/** Claims of a verified access token, or those of an API key. `role` is always present. */
export type Claims = { readonly role: string; readonly [claim: string]: unknown }

/** The caller: the database role to act as, and the claims that policies read. */
export type Principal = { readonly role: string; readonly claims: Claims }

/** What the gateway knows about a request in addition to the request itself. */
export type RequestContext = {
  readonly requestId: string
  /** The caller's network address, for rate limits and the audit log. */
  readonly address: string
  /** Sets the status line's reason phrase, which only HTTP/1.1 has. */
  readonly setReasonPhrase?: ((text: string) => void) | undefined
}

/** Handles web-standard requests, so that tests need no socket. The URL is the public one (`/rest/v1/…`). */
export type RequestHandler = (request: Request, context: RequestContext) => Response | Promise<Response>

/** Takes over a WebSocket handshake's socket, or refuses it. */
export type UpgradeHandler = (request: IncomingMessage, socket: Duplex, head: Buffer) => void

/** What happened to a running stack's database.
 *  - `reopened`: sessions are new, and data may have changed. Sent whenever the engine restarts, so also as the first
 *    step of a reset or restore. Services drop their caches synchronously and must not query yet.
 *  - `reset`: migrations and the SQL seed ran on an empty database. Stored files and emails are gone; the seed's files
 *    are uploaded once every service has handled this event.
 *  - `restored`: database, stored files and emails are those of a snapshot again. */
type DatabaseReplacement = 'reopened' | 'reset' | 'restored'

/** How the runtime notifies every part that uses the database. */
export type Lifecycle = {
  onDatabaseReplaced(replacement: DatabaseReplacement): Promise<void>
  /** Resolves when no work is in progress. */
  close(): Promise<void>
}

export type Service = Lifecycle & {
  readonly handle: RequestHandler
  readonly upgrade?: UpgradeHandler
}

/** Time as a dependency, so that tests can set it. */
export type Clock = { now(): Date }
export const systemClock: Clock = { now: () => new Date() }

export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>

/** Never pass tokens, passwords or bodies. */
export type Log = {
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, error: unknown, fields?: LogFields): void
}
