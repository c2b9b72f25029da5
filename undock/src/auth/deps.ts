import type { Config } from '../config/config.ts'
import type { Identity } from '../identity/identity.ts'
import type { Mailer } from '../kernel/mailer.ts'
import type { Clock, Log } from '../kernel/service.ts'
import type { Tracer } from '../kernel/tracer.ts'
import type { CodeAttempts } from './guards/code-attempts.ts'
import type { RateLimits } from './guards/rate-limits.ts'
import type { RedirectRules } from './guards/redirect-rules.ts'
import type { ReplayGuard } from './guards/replay-guard.ts'
import type { TemplateStore } from './mail/template-store.ts'
import type { AuthDb } from './models/auth-db.ts'

export type AuthConfig = Config['auth']

/** What Auth's flows need from outside. */
export type AuthDeps = {
  readonly db: AuthDb
  readonly identity: Identity
  readonly config: AuthConfig
  /** Where clients reach this service: the links in mails start with it. No slash at its end. */
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
  /** Calls external services: identity providers, senders of text messages, captchas. */
  readonly fetch: typeof globalThis.fetch
  /** The addresses of a host. */
  readonly lookup: (host: string) => Promise<string[]>
}
