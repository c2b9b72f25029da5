import type { ServerOptions } from 'node:http'

/** Limits of every HTTP server. Requests have no time limit, because a long upload is legitimate; Node then has none
 *  for headers either, unless it's set. */
export const HTTP_LIMITS = {
  requestTimeout: 0,
  headersTimeout: 20_000,
  connectionsCheckingInterval: 5_000,
} as const satisfies ServerOptions
