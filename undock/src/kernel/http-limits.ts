import type { ServerOptions } from 'node:http'

/** Of every HTTP server. The time for the whole request stays without a limit, because a long upload is no fault; Node then has no
 *  limit for its headers either, unless it is set. */
export const HTTP_LIMITS = {
  requestTimeout: 0,
  headersTimeout: 20_000,
  connectionsCheckingInterval: 5_000,
} as const satisfies ServerOptions
