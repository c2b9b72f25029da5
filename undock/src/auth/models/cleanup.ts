import type { Clock, Log } from '../../kernel/service.ts'
import { type Sql, sql, statement } from '../../kernel/sql.ts'
import type { AuthDb } from './auth-db.ts'

/** Requests between two cleanups. */
const EVERY = 100

const HOUR = 3_600_000

/** Rows that nobody can use any more, by upstream's periods. @see supabase/auth internal/models/cleanup.go */
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

export type Cleanup = {
  /** Counts a request; every hundredth one starts a cleanup and does not wait for it. */
  countRequest(): void
  /** Waits for a cleanup that is running. */
  close(): Promise<void>
}

export function createCleanup(db: AuthDb, clock: Clock, log: Log): Cleanup {
  let requests = 0
  let running: Promise<void> | null = null
  async function clean(): Promise<void> {
    try {
      await db.run(deletions(clock.now()).map(statement))
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
