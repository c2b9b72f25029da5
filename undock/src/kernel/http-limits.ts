import type { ServerOptions } from 'node:http'

/** Limits of every HTTP server. Long uploads are legitimate, but without a request timeout Node has none for headers. */
export const HTTP_LIMITS = {
  requestTimeout: 0,
  headersTimeout: 20_000,
  connectionsCheckingInterval: 5_000,
} as const satisfies ServerOptions
