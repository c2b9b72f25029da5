import type { Claims } from '../../kernel/service.ts'
import type { Client, Session } from '../models/sessions.ts'
import type { User } from '../models/user.ts'

/** A request as handlers see it. */
export type Call = {
  readonly request: Request
  readonly query: URLSearchParams
  /** Path parameters by name, not decoded. */
  readonly params: Readonly<Record<string, string>>
  readonly client: Client
  readonly requestId: string
  readonly now: Date
  /** The audience (`aud`) of the users concerned. */
  readonly aud: string
  /** The requested redirect target, already checked against the allow-list. */
  readonly redirectTo: string
}

export type AuthenticatedUser = { readonly claims: Claims; readonly user: User; readonly session: Session | null }

export type AuthenticatedCall = Call & { readonly caller: AuthenticatedUser }

export function json(body: unknown, status = 200, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json', ...headers } })
}
