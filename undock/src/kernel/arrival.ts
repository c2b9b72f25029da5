import type { IncomingMessage } from 'node:http'

const arrivals = new WeakMap<Request, IncomingMessage>()

/** Remembers the message behind a request. Node's bridge to web streams copies every byte, twice;
 *  a service that takes large bodies reads the message itself, and then never `request.body`. */
export const arrivedBy = (request: Request, message: IncomingMessage): Request => {
  arrivals.set(request, message)
  return request
}

/** Undefined for a request that came by no socket. */
export const arrivalOf = (request: Request): IncomingMessage | undefined => arrivals.get(request)

/** Whether a request could not be read because its sender went away: no fault of anybody, and nobody is left to tell. */
export const isSenderGone = (error: unknown): boolean =>
  error instanceof Error && error.message === 'aborted' && 'code' in error && error.code === 'ECONNRESET'
