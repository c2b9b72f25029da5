import type { Claims } from '../../kernel/service.ts'
import type { Client, Session } from '../models/sessions.ts'
import type { User } from '../models/user.ts'

/** One request as the handlers see it. */
export type Call = {
  readonly request: Request
  readonly query: URLSearchParams
  /** The path's parameters by name, not decoded. */
  readonly params: Readonly<Record<string, string>>
  readonly client: Client
  readonly requestId: string
  readonly now: Date
  /** The audience (`aud`) whose users the request concerns. */
  readonly aud: string
  /** The redirect target that the client asked for, already checked against the allow-list. */
  readonly redirectTo: string
}

/** The user of the request's access token, with the session it belongs to. */
export type AuthenticatedUser = { readonly claims: Claims; readonly user: User; readonly session: Session | null }

export type AuthenticatedCall = Call & { readonly caller: AuthenticatedUser }

export function json(body: unknown, status = 200, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json', ...headers } })
}
