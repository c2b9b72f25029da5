import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'

/** The claims of a verified access token, or those that an API key stands for. `role` is always present. */
export type Claims = { readonly role: string; readonly [claim: string]: unknown }

/** The caller: the database role to act as, and the claims that policies read. */
export type Principal = { readonly role: string; readonly claims: Claims }

/** What the gateway knows about a request in addition to the request itself. */
export type RequestContext = {
  readonly requestId: string
  /** The caller's network address, for rate limits and the audit log. */
  readonly address: string
  /** Sets the reason phrase of the response's status line, which HTTP/1.1 alone has. */
  readonly setReasonPhrase?: ((text: string) => void) | undefined
}

/** Answers web-standard requests, so that a test can call it without a socket.
 *  The request's URL is the complete public one, with the service's prefix (`/rest/v1/…`). */
export type RequestHandler = (request: Request, context: RequestContext) => Response | Promise<Response>

/** Takes over the socket of a WebSocket handshake, or answers with a refusal. */
export type UpgradeHandler = (request: IncomingMessage, socket: Duplex, head: Buffer) => void

/** What happened to the database of a running stack.
 *  - `reopened`: the sessions are new, and the data may have changed. It is announced whenever the engine starts again,
 *    and therefore also as the first step of a reset and of a restore. Services drop their caches synchronously and
 *    must not query yet; their next query reads the new data.
 *  - `reset`: migrations and the SQL seed ran again on an empty database. Stored files and mails are gone; the files of
 *    the seed are uploaded once every service has handled this event.
 *  - `restored`: database, stored files and mails are again those of a snapshot. */
type DatabaseReplacement = 'reopened' | 'reset' | 'restored'

/** The interface through which the runtime tells every part that uses the database what happened to it. */
export type Lifecycle = {
  onDatabaseReplaced(replacement: DatabaseReplacement): Promise<void>
  /** Resolves when no work is in progress any more. */
  close(): Promise<void>
}

/** One of the services behind the gateway. */
export type Service = Lifecycle & {
  readonly handle: RequestHandler
  /** Only for services that speak WebSocket. */
  readonly upgrade?: UpgradeHandler
}

/** Time as a dependency, so that tests can set it. */
export type Clock = { now(): Date }
export const systemClock: Clock = { now: () => new Date() }

export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>

/** Where services log events. Tokens, passwords and bodies must never be passed. */
export type Log = {
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, error: unknown, fields?: LogFields): void
}
