import { lookup as lookupAddresses } from 'node:dns/promises'
import type { Db } from '../database/db.ts'
import type { Identity } from '../identity/identity.ts'
import type { Mailer } from '../kernel/mailer.ts'
import type { Clock, Log, Service } from '../kernel/service.ts'
import { createAuthDb } from './auth-db.ts'
import type { AuthConfig, AuthDeps } from './deps.ts'
import { createCleaning } from './leftovers.ts'
import { createRateLimits } from './rate-limits.ts'
import { createRedirectRules } from './redirects.ts'
import { renderError } from './render-error.ts'
import { dispatch } from './route.ts'
import { authRoutes } from './routes.ts'

export type AuthOptions = {
  readonly db: Db
  readonly identity: Identity
  readonly config: AuthConfig
  /** The gateway's public URL, without a path: links in mails begin with it and `/auth/v1` unless `external_url` of
   *  config.toml says otherwise. */
  readonly apiUrl: string
  readonly mailer: Mailer
  readonly clock: Clock
  readonly log: Log
  /** How services elsewhere are asked; Node's own unless given. */
  readonly fetch?: typeof globalThis.fetch
  /** The addresses of a host; the system's own unless given. */
  readonly lookup?: AuthDeps['lookup']
}

/** GoTrue's API under `/auth/v1`. */
export function createAuth(options: AuthOptions): { handle: Service; close(): Promise<void> } {
  const { db, identity, config, apiUrl, mailer, clock, log, fetch = globalThis.fetch, lookup = lookupHost } = options
  const deps: AuthDeps = {
    db: createAuthDb(db),
    identity,
    config,
    externalUrl: (config.external_url || `${apiUrl}/auth/v1`).replace(/\/+$/, ''),
    mailer,
    clock,
    log,
    limits: createRateLimits(config, clock),
    redirects: createRedirectRules(config.site_url, config.additional_redirect_urls),
    fetch,
    lookup,
  }
  const cleaning = createCleaning(deps.db, clock, log)
  return {
    async handle(request, context) {
      cleaning.note()
      try {
        return await dispatch(authRoutes, request, context, deps)
      } catch (error) {
        return renderError(error, request, context.requestId, log)
      }
    },
    close: cleaning.close,
  }
}

async function lookupHost(host: string): Promise<string[]> {
  return (await lookupAddresses(host, { all: true })).map(({ address }) => address)
}
