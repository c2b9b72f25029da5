import type { AuthConfig, AuthDeps } from '../deps.ts'
import { type AuthErrorName, authError } from '../errors.ts'
import { type AuthenticatedCall, json } from '../http/call.ts'
import { type Route, route } from '../http/router.ts'
import { audit } from '../models/audit.ts'
import { isUuid } from '../models/params.ts'
import { authorizeClient } from './authorize.ts'
import {
  createOAuthClient,
  deleteOAuthClient,
  getOAuthClient,
  listOAuthClients,
  regenerateSecret,
  registerOAuthClient,
  updateOAuthClient,
} from './client-admin.ts'
import { RegisterClient, scopesOf, UpdateClient } from './client-params.ts'
import { listClients, presentClientForConsent } from './clients.ts'
import { answerConsent, Consent, getAuthorization } from './consent.ts'
import { deleteSessionsOfClient, listConsents, revokeConsent } from './consents.ts'
import { openidConfiguration } from './discovery.ts'
import { profileClaims } from './id-token.ts'
import { oauthToken } from './token.ts'

const unless = ({ oauth_server }: AuthConfig): AuthErrorName | null =>
  oauth_server.enabled ? null : 'oauthServerDisabled'

// biome-ignore format: a table
export const oauthServerRoutes: readonly Route[] = [
  route('GET',    '/.well-known/oauth-authorization-server', 'anyone', null,  openidConfiguration, { unless }),
  // RFC 8414 §3.1: the issuer's path follows the well-known path; the gateway doesn't strip it.
  route('GET',    '/.well-known/oauth-authorization-server/auth/v1', 'anyone', null, openidConfiguration, { unless }),
  route('POST',   '/oauth/clients/register', 'anyone', RegisterClient, registerOAuthClient, { unless, limit: 'oauthClientRegister' }),
  route('GET',    '/oauth/authorize',        'anyone', null,           authorizeClient,     { unless }),
  route('POST',   '/oauth/token',            'anyone', null,           oauthToken,          { unless }),
  route('GET',    '/oauth/userinfo',         'bearer', null,           userinfo,            { unless }),
  route('GET',    '/oauth/authorizations/{authorization_id}',         'user', null,    getAuthorization, { unless }),
  route('POST',   '/oauth/authorizations/{authorization_id}/consent', 'user', Consent, answerConsent,    { unless }),
  route('GET',    '/user/oauth/grants',      'user',   null,           listGrants,          { unless }),
  route('DELETE', '/user/oauth/grants',      'user',   null,           revokeGrant,         { unless }),
  route('GET',    '/admin/oauth/clients',    'service', null,           listOAuthClients,    { unless }),
  route('POST',   '/admin/oauth/clients',    'service', RegisterClient, createOAuthClient,   { unless }),
  route('GET',    '/admin/oauth/clients/{client_id}', 'service', null,         getOAuthClient,    { unless }),
  route('PUT',    '/admin/oauth/clients/{client_id}', 'service', UpdateClient, updateOAuthClient, { unless }),
  route('DELETE', '/admin/oauth/clients/{client_id}', 'service', null,         deleteOAuthClient, { unless }),
  route('POST',   '/admin/oauth/clients/{client_id}/regenerate_secret', 'service', null, regenerateSecret, { unless }),
]

/** GET /user/oauth/grants: the clients that the caller has consented to.
 *  @see supabase/auth internal/api/oauthserver/handlers.go */
async function listGrants({ db }: AuthDeps, { caller }: AuthenticatedCall): Promise<Response> {
  const clients = new Map((await listClients(db)).map((client) => [client.id, client]))
  const consents = await listConsents(db, caller.user.id)
  return json(
    consents.flatMap(({ client_id, scopes, granted_at }) => {
      const client = clients.get(client_id)
      return client ? [{ client: presentClientForConsent(client), scopes: scopesOf(scopes), granted_at }] : []
    }),
  )
}

/** DELETE /user/oauth/grants?client_id: revokes the consent and ends the client's sessions. */
async function revokeGrant({ db }: AuthDeps, { caller, query, now }: AuthenticatedCall): Promise<Response> {
  const { user } = caller
  const clientId = query.get('client_id') ?? ''
  if (clientId === '') throw authError('oauthGrantClientMissing')
  if (!isUuid(clientId)) throw authError('oauthClientIdInvalid')
  const [consent] = await listConsents(db, user.id, clientId)
  if (!consent) throw authError('oauthConsentUnknown')
  await db.transaction(async (tx) => {
    await revokeConsent(tx, consent.id, now)
    await deleteSessionsOfClient(tx, user.id, clientId)
    const traits = { oauth_client_id: clientId, action: 'revoke_oauth_grant' }
    await audit(tx, { actor: user, action: 'token_revoked', traits }, now)
  })
  return new Response(null, { status: 204 })
}

/** GET /oauth/userinfo: the claims that the session's scopes allow (OpenID Connect Core §5.3).
 *  @see supabase/auth internal/api/oauthserver/handlers.go, OAuthUserInfo */
async function userinfo(_deps: AuthDeps, { caller: { user, session } }: AuthenticatedCall): Promise<Response> {
  const scopes = scopesOf(session?.scopes ?? '')
  return json({
    sub: user.id,
    ...(scopes.includes('email') && user.email ? { email: user.email } : {}),
    ...(scopes.includes('email') && user.email_confirmed_at ? { email_verified: true } : {}),
    ...(scopes.includes('profile') ? { ...profileClaims(user), user_metadata: user.raw_user_meta_data } : {}),
    ...(scopes.includes('phone') && user.phone ? { phone: user.phone } : {}),
    ...(scopes.includes('phone') && user.phone_confirmed_at ? { phone_verified: true } : {}),
  })
}
