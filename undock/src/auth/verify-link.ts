import { ServiceError } from '../kernel/service-error.ts'
import type { Call } from './call.ts'
import type { AuthDeps } from './deps.ts'
import { authError } from './errors.ts'
import { issueAuthCode } from './flow-states.ts'
import { PKCE_PREFIX } from './one-time-code.ts'
import type { AuthenticationMethod } from './sessions.ts'
import { startSession, tokenFragment } from './start-session.ts'
import type { User } from './user.ts'
import { notifyOfChanges, redeem, SINGLE_CONFIRMATION } from './verify.ts'

const OAUTH_ERRORS: Readonly<Record<number, string>> = {
  400: 'invalid_request',
  401: 'unauthorized_client',
  403: 'access_denied',
  500: 'server_error',
  503: 'temporarily_unavailable',
}

/** How the flow state of a PKCE flow was named when the link was sent. */
const METHODS: Readonly<Record<string, AuthenticationMethod>> = {
  signup: 'email/signup',
  invite: 'invite',
  recovery: 'recovery',
  magiclink: 'magiclink',
  email_change: 'email_change',
}

/** GET /verify: what the link in a mail opens. Answers with a redirect: to a session in the fragment (implicit flow), to
 *  a code in the query (PKCE), or to an error in both. @see supabase/auth internal/api/verify.go, verifyGet */
export async function verifyLink(deps: AuthDeps, call: Call): Promise<Response> {
  const token = call.query.get('token') ?? ''
  const type = call.query.get('type') ?? ''
  if (type === '') throw authError('verifyTypeMissing')
  if (token === '' || token.includes('\0')) throw authError('verifyTokenMissing')
  const isPkce = token.startsWith(PKCE_PREFIX)
  try {
    const open = isPkce ? withCode : withSession
    const params = { type, token: '', hash: token, email: '', phone: '' }
    const accepted = await redeem(deps, call, params, (deps, user) => open(deps, call, user, type))
    if (accepted === 'half') return redirect(withMessage(call.redirectTo, isPkce))
    await notifyOfChanges(deps, call, accepted)
    return redirect(accepted.opened)
  } catch (error) {
    const refusal = error instanceof ServiceError ? error : authError('unexpected', [], { cause: error })
    if (refusal.status >= 500)
      deps.log.error('auth: a link could not be verified', error, { requestId: call.requestId })
    return redirect(withError(call.redirectTo, refusal, isPkce))
  }
}

async function withSession(deps: AuthDeps, call: Call, user: User, type: string): Promise<string> {
  const session = await startSession(deps, call, user, 'otp')
  return `${call.redirectTo}#${tokenFragment(session, { type })}`
}

async function withCode(deps: AuthDeps, call: Call, user: User, type: string): Promise<string> {
  const code = await issueAuthCode(deps.db, user.id, METHODS[type] ?? 'otp', call.now)
  if (!code) throw authError('flowStateMissing')
  const url = new URL(call.redirectTo)
  url.searchParams.set('code', code)
  return url.href
}

function withMessage(target: string, isPkce: boolean): string {
  const url = new URL(target)
  if (isPkce) url.searchParams.set('message', SINGLE_CONFIRMATION)
  url.hash = new URLSearchParams({ message: SINGLE_CONFIRMATION, sb: '' }).toString()
  return url.href
}

function withError(target: string, { status, code, message }: ServiceError, isPkce: boolean): string {
  const url = new URL(target)
  const kind = OAUTH_ERRORS[status]
  const fields = { ...(kind ? { error: kind } : {}), error_code: code, error_description: message }
  if (isPkce) for (const [name, value] of Object.entries(fields)) url.searchParams.set(name, value)
  url.hash = new URLSearchParams({ ...fields, sb: '' }).toString()
  return url.href
}

/** A header holds ASCII only. */
function redirect(target: string): Response {
  const location = target.replace(/[^\x20-\x7e]/gu, (character) => encodeURIComponent(character.toWellFormed()))
  return new Response(null, { status: 303, headers: { location } })
}
