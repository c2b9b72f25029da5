import { z } from 'zod'
import { ServiceError } from '../../kernel/service-error.ts'
import { PKCE_PREFIX, tokenHash } from '../credentials/one-time-codes.ts'
import type { AuthDeps } from '../deps.ts'
import { authError } from '../errors.ts'
import { startSession, tokenFragment } from '../flows/start-session.ts'
import { notifyOfChanges, redeem } from '../flows/verification.ts'
import type { VerifyParams } from '../flows/verify-token.ts'
import { readBody } from '../http/body.ts'
import { type Call, json } from '../http/call.ts'
import { OAUTH_ERRORS } from '../http/render-error.ts'
import { issueAuthCode } from '../models/flow-states.ts'
import { text, validEmail, validPhone } from '../models/params.ts'
import type { AuthenticationMethod } from '../models/sessions.ts'
import type { User } from '../models/user.ts'

const VerifyBody = z.object({ type: text, token: text, token_hash: text, email: text, phone: text, redirect_to: text })

const SINGLE_CONFIRMATION = 'Confirmation link accepted. Please proceed to confirm link sent to the other email'

/** POST /verify: exchanges a code and its address, or a token's hash, for a session.
 *  @see supabase/auth internal/api/verify.go */
export async function verifyPost(deps: AuthDeps, call: Call): Promise<Response> {
  const params = await readParams(call)
  const accepted = await redeem(deps, call, params, (deps, user) => startSession(deps, call, { user, method: 'otp' }))
  if (accepted === 'half') return json({ msg: SINGLE_CONFIRMATION, code: '200' })
  await notifyOfChanges(deps, call, accepted)
  return json(accepted.opened)
}

async function readParams({ request }: Call): Promise<VerifyParams> {
  const body = await readBody(request, VerifyBody)
  if (body.type === '') throw authError('verifyTypeMissing')
  if ((body.token === '') === (body.token_hash === '')) throw authError('verifyOneToken')
  if (body.token_hash !== '') {
    if (body.email + body.phone + body.redirect_to !== '') throw authError('verifyHashOnly')
    return { type: body.type, token: '', hash: body.token_hash, email: '', phone: '' }
  }
  const { type, token } = body
  if (body.phone !== '' && body.email === '') {
    const phone = validPhone(body.phone)
    return { type, token, hash: tokenHash(phone, token), email: '', phone }
  }
  if (body.email === '' || body.phone !== '') throw authError('verifyOneAddress')
  const email = readEmail(body.email)
  return { type, token, hash: tokenHash(email, token), email, phone: '' }
}

function readEmail(email: string): string {
  try {
    return validEmail(email)
  } catch (error) {
    throw authError('verifyEmailInvalid', [], { cause: error })
  }
}

/** The PKCE flow state's name at the time the link was sent. */
const METHODS: Readonly<Record<string, AuthenticationMethod>> = {
  signup: 'email/signup',
  invite: 'invite',
  recovery: 'recovery',
  magiclink: 'magiclink',
  email_change: 'email_change',
}

/** GET /verify: opens a mail's link. Redirects to a session in the fragment (implicit flow), a code in the query
 *  (PKCE), or an error in both. @see supabase/auth internal/api/verify.go, verifyGet */
export async function verifyLink(deps: AuthDeps, call: Call): Promise<Response> {
  const token = call.query.get('token') ?? ''
  const type = call.query.get('type') ?? ''
  if (type === '') throw authError('verifyTypeMissing')
  if (token === '') throw authError('verifyTokenMissing')
  const isPkce = token.startsWith(PKCE_PREFIX)
  try {
    const open = isPkce ? withCode : withSession
    const params = { type, token: '', hash: token, email: '', phone: '' }
    const accepted = await redeem(deps, call, params, (deps, user) => open(deps, call, user, type))
    if (accepted === 'half') return redirect(withMessage(call.redirectTo, { isPkce }))
    await notifyOfChanges(deps, call, accepted)
    return redirect(accepted.opened)
  } catch (error) {
    const refusal = error instanceof ServiceError ? error : authError('unexpected', [], { cause: error })
    if (refusal.status >= 500)
      deps.log.error('auth: a link could not be verified', error, { requestId: call.requestId })
    return redirect(withError(call.redirectTo, refusal, { isPkce }))
  }
}

async function withSession(deps: AuthDeps, call: Call, user: User, type: string): Promise<string> {
  const session = await startSession(deps, call, { user, method: 'otp' })
  return `${call.redirectTo}#${tokenFragment(session, { type })}`
}

async function withCode(deps: AuthDeps, call: Call, user: User, type: string): Promise<string> {
  const code = await issueAuthCode(deps.db, user.id, METHODS[type] ?? 'otp', call.now)
  if (!code) throw authError('flowStateMissing')
  const url = new URL(call.redirectTo)
  url.searchParams.set('code', code)
  return url.href
}

function withMessage(target: string, { isPkce }: { readonly isPkce: boolean }): string {
  const url = new URL(target)
  if (isPkce) url.searchParams.set('message', SINGLE_CONFIRMATION)
  url.hash = new URLSearchParams({ message: SINGLE_CONFIRMATION, sb: '' }).toString()
  return url.href
}

function withError(
  target: string,
  { status, code, message }: ServiceError,
  { isPkce }: { readonly isPkce: boolean },
): string {
  const url = new URL(target)
  const kind = OAUTH_ERRORS[status]
  const fields = { ...(kind ? { error: kind } : {}), error_code: code, error_description: message }
  if (isPkce) for (const [name, value] of Object.entries(fields)) url.searchParams.set(name, value)
  url.hash = new URLSearchParams({ ...fields, sb: '' }).toString()
  return url.href
}

/** Headers are ASCII only. */
function redirect(target: string): Response {
  const location = target.replace(/[^\x20-\x7e]/gu, (character) => encodeURIComponent(character.toWellFormed()))
  return new Response(null, { status: 303, headers: { location } })
}
