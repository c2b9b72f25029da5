import type { Readable } from 'node:stream'

const arrivals = new WeakMap<Request, Readable>()

/** Remembers the socket's own stream behind a request's body. Node's bridge to web streams copies every byte, twice;
 *  a service that takes large bodies reads the stream itself, and then never `request.body`. */
export const arrivedBy = (request: Request, stream: Readable): Request => {
  arrivals.set(request, stream)
  return request
}

/** Undefined for a request that came by no socket. */
export const arrivalOf = (request: Request): Readable | undefined => arrivals.get(request)

/** Whether a request could not be read because its sender went away: no fault of anybody, and nobody is left to tell. */
export const isSenderGone = (error: unknown): boolean =>
  error instanceof Error && error.message === 'aborted' && 'code' in error && error.code === 'ECONNRESET'
