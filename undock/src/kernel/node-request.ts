import type { IncomingMessage } from 'node:http'

const nodeRequests = new WeakMap<Request, IncomingMessage>()

/** Attaches Node's message to the `Request` made from it. Node's bridge to web streams copies every byte twice; a
 *  service that takes large bodies reads the message itself, and then never reads `request.body`. */
export const withNodeRequest = (request: Request, message: IncomingMessage): Request => {
  nodeRequests.set(request, message)
  return request
}

/** Undefined for a request that did not arrive through a socket. */
export const nodeRequestOf = (request: Request): IncomingMessage | undefined => nodeRequests.get(request)

/** Whether reading a request failed because the client closed the connection, so that nobody waits for a response. */
export const isClientAbort = (error: unknown): boolean =>
  error instanceof Error && error.message === 'aborted' && 'code' in error && error.code === 'ECONNRESET'
