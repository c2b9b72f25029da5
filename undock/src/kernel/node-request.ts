import type { IncomingMessage } from 'node:http'

const nodeRequests = new WeakMap<Request, IncomingMessage>()

/** Attaches Node's message to its `Request`. Node's bridge to web streams copies every byte twice, so services with
 *  large bodies read the message, and then never `request.body`. */
export const withNodeRequest = (request: Request, message: IncomingMessage): Request => {
  nodeRequests.set(request, message)
  return request
}

/** Returns Node's message; undefined for a request without a socket. */
export const nodeRequestOf = (request: Request): IncomingMessage | undefined => nodeRequests.get(request)

/** Returns whether reading failed because the client closed the connection, so that no response is needed. */
export const isClientAbort = (error: unknown): boolean =>
  error instanceof Error && error.message === 'aborted' && 'code' in error && error.code === 'ECONNRESET'
