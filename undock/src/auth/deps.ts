import type { Config } from '../config/config.ts'
import type { Identity } from '../identity/identity.ts'
import type { Mailer } from '../kernel/mail-templates.ts'
import type { Clock, Log } from '../kernel/service.ts'
import type { Tracer } from '../kernel/tracer.ts'
import type { CodeAttempts, ReplayGuard } from './guards/buckets.ts'
import type { RateLimits } from './guards/rate-limits.ts'
import type { RedirectRules } from './guards/redirect-rules.ts'
import type { TemplateStore } from './mail/template-store.ts'
import type { AuthDb } from './models/auth-db.ts'

export type AuthConfig = Config['auth']

export type AuthDeps = {
  readonly db: AuthDb
  readonly identity: Identity
  readonly config: AuthConfig
  /** Where clients reach this service, and the base of links in mails. No trailing slash. */
  readonly externalUrl: string
  readonly mailer: Mailer
  readonly templates: TemplateStore
  readonly clock: Clock
  readonly log: Log
  readonly limits: RateLimits
  readonly codeAttempts: CodeAttempts
  readonly replayGuard: ReplayGuard
  readonly redirects: RedirectRules
  readonly tracer: Tracer
  readonly fetch: typeof globalThis.fetch
  readonly lookup: (host: string) => Promise<string[]>
}
