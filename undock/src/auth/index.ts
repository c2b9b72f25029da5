import { lookup as lookupAddresses } from 'node:dns/promises'
import type { Db } from '../database/db.ts'
import type { Identity } from '../identity/identity.ts'
import type { Mailer, MailTemplates } from '../kernel/mail-templates.ts'
import { plainFetch } from '../kernel/plain-fetch.js'
import { createRouter } from '../kernel/router.ts'
import type { Clock, Log, Service } from '../kernel/service.ts'
import { type Sql, sql } from '../kernel/sql.ts'
import { NO_TRACER, type Tracer } from '../kernel/tracer.ts'
import type { AuthConfig, AuthDeps } from './deps.ts'
import { type Buckets, createCodeAttempts, createMemoryBuckets, createReplayGuard } from './guards/buckets.ts'
import { createRateLimits } from './guards/rate-limits.ts'
import { createRedirectRules } from './guards/redirect-rules.ts'
import { renderError } from './http/render-error.ts'
import { dispatch } from './http/router.ts'
import { createMailTemplates } from './mail/template-samples.ts'
import { createTemplateStore } from './mail/template-store.ts'
import { type AuthDb, createAuthDb } from './models/auth-db.ts'
import { authRoutes } from './routes.ts'

const EVERY = 100

const HOUR = 3_600_000

/** Unusable rows, by upstream's periods. @see supabase/auth internal/models/cleanup.go */
function deletions(now: Date): Sql[] {
  const dayAgo = new Date(now.getTime() - 24 * HOUR)
  const threeDaysAgo = new Date(now.getTime() - 72 * HOUR)
  return [
    sql`delete from auth.refresh_tokens where revoked is true and updated_at < ${dayAgo}`,
    sql`delete from auth.sessions where not_after < ${threeDaysAgo}`,
    sql`delete from auth.saml_relay_states where created_at < ${dayAgo}`,
    sql`delete from auth.flow_state where created_at < ${dayAgo}`,
    sql`delete from auth.oauth_client_states where created_at < ${dayAgo}`,
    sql`delete from auth.oauth_authorizations where expires_at < ${dayAgo}`,
    sql`delete from auth.mfa_challenges where created_at < ${dayAgo}`,
    sql`delete from auth.mfa_factors where created_at < ${dayAgo} and status = 'unverified'`,
    sql`delete from auth.webauthn_challenges where expires_at < ${now}`,
  ]
}

type Cleanup = {
  countRequest(): void
  close(): Promise<void>
}

function createCleanup(db: AuthDb, clock: Clock, log: Log): Cleanup {
  let requests = 0
  let running: Promise<void> | null = null
  async function clean(): Promise<void> {
    try {
      await db.run(deletions(clock.now()))
    } catch (error) {
      log.error('auth: leftovers could not be deleted', error, {})
    }
    running = null
  }
  return {
    countRequest() {
      requests += 1
      if (requests % EVERY === 0) running ??= clean()
    },
    close: async () => {
      await running
    },
  }
}

/** Bytes read of an external service's answer: the same limit as for requests to Auth. */
const MAX_ANSWER_BYTES = 1 << 20

/** Limits external services' answers, unpacked, so that none can fill the memory. */
function boundedFetch(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, init)
    if (!response.body) return response
    const { status, statusText, headers } = response
    return new Response(response.body.pipeThrough(limit(MAX_ANSWER_BYTES)), { status, statusText, headers })
  }
}

function limit(most: number): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength
      if (bytes > most) throw new Error(`The answer is longer than ${most} bytes`)
      controller.enqueue(chunk)
    },
  })
}

export type AuthOptions = {
  readonly db: Db
  readonly identity: Identity
  readonly config: AuthConfig
  /** The gateway's public URL, without a path: the base of links in mails, unless config.toml has an `external_url`. */
  readonly apiUrl: string
  readonly mailer: Mailer
  readonly clock: Clock
  readonly log: Log
  readonly tracer?: Tracer
  /** Where limits and attempts are counted; this process's memory by default. */
  readonly buckets?: Buckets
  readonly limitsLoopback?: boolean
  readonly fetch?: typeof globalThis.fetch
  /** Resolves hosts; by default with the system's resolver. */
  readonly lookup?: AuthDeps['lookup']
}

const router = createRouter(authRoutes)

export type Auth = Service & { readonly mailTemplates: MailTemplates }

/** Creates GoTrue's API under `/auth/v1`. */
export function createAuth(options: AuthOptions): Auth {
  const { db, identity, config, apiUrl, mailer, clock, log, fetch = plainFetch, lookup = lookupHost } = options
  const { buckets = createMemoryBuckets() } = options
  const deps: AuthDeps = {
    db: createAuthDb(db),
    identity,
    config,
    externalUrl: (config.external_url || `${apiUrl}/auth/v1`).replace(/\/+$/, ''),
    mailer,
    templates: createTemplateStore(config),
    clock,
    log,
    tracer: options.tracer ?? NO_TRACER,
    limits: createRateLimits(config, buckets, clock, options.limitsLoopback !== true),
    codeAttempts: createCodeAttempts(buckets, clock),
    replayGuard: createReplayGuard(buckets),
    redirects: createRedirectRules(config),
    fetch: boundedFetch(fetch),
    lookup,
  }
  const cleanup = createCleanup(deps.db, clock, log)
  return {
    mailTemplates: createMailTemplates(deps),
    async handle(request, context) {
      cleanup.countRequest()
      try {
        return await dispatch(router, request, context, deps)
      } catch (error) {
        return renderError(error, request, context.requestId, log)
      }
    },
    // Auth caches no rows, and its counters are named by addresses and random ids, which no other database repeats.
    onDatabaseReplaced: async () => undefined,
    close: cleanup.close,
  }
}

async function lookupHost(host: string): Promise<string[]> {
  return (await lookupAddresses(host, { all: true })).map(({ address }) => address)
}
