import { z } from 'zod'
import type { AuthDeps } from '../deps.ts'
import { authError } from '../errors.ts'
import { type AuthenticatedCall, json } from '../http/call.ts'
import type { Queryable } from '../models/auth-db.ts'
import { text } from '../models/params.ts'
import { type Authorization, approve, assignUser, close, lockAuthorization } from './authorizations.ts'
import { errorUrl, withParams } from './authorize.ts'
import { coversScopes, scopesOf } from './client-params.ts'
import { findClient, presentClientForConsent } from './clients.ts'
import { listConsents, saveConsent } from './consents.ts'

/** GET /oauth/authorizations/{authorization_id}: the consent page's data. Only the first user who opens an
 *  authorization may decide on it. Users who already consented to the same scopes are redirected immediately.
 *  @see supabase/auth internal/api/oauthserver/authorize.go */
export async function getAuthorization(deps: AuthDeps, call: AuthenticatedCall): Promise<Response> {
  const { user } = call.caller
  checkOrigin(deps, call)
  const seen = await decide(deps, call, async (tx, authorization) => {
    if (authorization.status !== 'pending') throw authError('oauthAuthorizationClosed')
    if (authorization.user_id !== null && authorization.user_id !== user.id)
      throw authError('oauthAuthorizationUnknown')
    if (authorization.user_id !== null) return { authorization, code: null }
    await assignUser(tx, authorization.id, user.id)
    const [consent] = await listConsents(tx, user.id, authorization.client_id)
    const agreed = consent !== undefined && coversScopes(consent.scopes, authorization.scope)
    return { authorization, code: agreed ? await approve(tx, authorization.id, call.now) : null }
  })
  const { authorization } = seen
  if (seen.code) return json({ redirect_url: successUrl(authorization, seen.code) })
  const client = await findClient(deps.db, authorization.client_id)
  if (!client) throw authError('oauthAuthorizationUnknown')
  return json({
    authorization_id: authorization.authorization_id,
    redirect_uri: authorization.redirect_uri,
    client: presentClientForConsent(client),
    user: { id: user.id, ...(user.email ? { email: user.email } : {}) },
    scope: authorization.scope,
  })
}

export const Consent = z.object({ action: text })

/** POST /oauth/authorizations/{authorization_id}/consent */
export async function answerConsent(
  deps: AuthDeps,
  call: AuthenticatedCall,
  { action }: z.infer<typeof Consent>,
): Promise<Response> {
  const { user } = call.caller
  checkOrigin(deps, call)
  if (action !== 'approve' && action !== 'deny') throw authError('oauthConsentAction')
  const redirect_url = await decide(deps, call, async (tx, authorization) => {
    if (authorization.status !== 'pending') throw authError('oauthConsentClosed')
    if (authorization.user_id !== user.id) throw authError('oauthAuthorizationUnknown')
    if (action === 'deny') {
      await close(tx, authorization.id, 'denied')
      const { redirect_uri, state } = authorization
      return errorUrl(redirect_uri, 'access_denied', 'User denied the request', state ?? '')
    }
    const code = await approve(tx, authorization.id, call.now)
    const scopes = scopesOf(authorization.scope).join(' ')
    await saveConsent(tx, { userId: user.id, clientId: authorization.client_id, scopes, now: call.now })
    return successUrl(authorization, code)
  })
  return json({ redirect_url })
}

/** Other sites' pages must not decide for a user. Callers that aren't browsers send no origin. */
function checkOrigin({ redirects }: AuthDeps, { request }: AuthenticatedCall): void {
  const origin = request.headers.get('origin') ?? ''
  if (origin !== '' && !redirects.allows(origin)) throw authError('oauthOriginRefused')
}

/** Decides on a locked authorization. Expired ones are marked and kept. */
async function decide<T>(
  { db }: AuthDeps,
  { params, now }: AuthenticatedCall,
  decision: (tx: Queryable, authorization: Authorization) => Promise<T>,
): Promise<T> {
  const outcome = await db.transaction(async (tx) => {
    const authorization = await lockAuthorization(tx, params.authorization_id ?? '')
    if (!authorization) throw authError('oauthAuthorizationUnknown')
    if (now <= authorization.expires_at) return { answer: await decision(tx, authorization) }
    if (authorization.status === 'pending') await close(tx, authorization.id, 'expired')
    return null
  })
  if (!outcome) throw authError('oauthAuthorizationUnknown')
  return outcome.answer
}

const successUrl = ({ redirect_uri, state }: Authorization, code: string): string =>
  withParams(redirect_uri, { code, ...(state ? { state } : {}) })
