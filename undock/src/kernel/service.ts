/** The claims of a verified access token, or those an API key stands for. `role` is always there. */
export type Claims = { readonly role: string; readonly [claim: string]: unknown }

/** Who is asking: the database role to act as and the claims that policies read. */
export type Principal = { readonly role: string; readonly claims: Claims }

/** What the gateway knows of a request beside the request itself. */
export type RequestContext = {
  readonly requestId: string
  /** The caller's network address, for rate limits and the audit log. */
  readonly address: string
}

/** A service answers Web-standard requests, so that a test can call it without a socket.
 *  The request's URL is the whole public one, with the service's prefix (`/rest/v1/…`). */
export type Service = (request: Request, context: RequestContext) => Response | Promise<Response>

/** Time as a dependency: tests turn it. */
export type Clock = { now(): Date }
export const systemClock: Clock = { now: () => new Date() }

export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>

/** Where services tell what happened. Never pass tokens, passwords or bodies. */
export type Log = {
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, error: unknown, fields?: LogFields): void
}
