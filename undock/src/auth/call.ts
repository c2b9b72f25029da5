import type { Claims } from '../kernel/service.ts'
import type { Client, Session } from './sessions.ts'
import type { User } from './user.ts'

/** One request as the handlers see it. */
export type Call = {
  readonly request: Request
  readonly query: URLSearchParams
  /** The named segments of the route's path. */
  readonly params: Readonly<Record<string, string>>
  readonly client: Client
  readonly requestId: string
  readonly now: Date
  /** The audience whose users are meant. */
  readonly aud: string
  /** Where the caller wants to end up, already checked against the allow-list. */
  readonly redirectTo: string
}

/** Who sent the access token of this request. */
export type Caller = { readonly claims: Claims; readonly user: User; readonly session: Session | null }

export type CallerCall = Call & { readonly caller: Caller }

export function json(body: unknown, status = 200, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json', ...headers } })
}
