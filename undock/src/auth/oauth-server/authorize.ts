import { DatabaseError } from 'pg'
import type { AuthConfig, AuthDeps } from '../deps.ts'
import { authError } from '../errors.ts'
import type { Call } from '../http/call.ts'
import { isUuid } from '../models/params.ts'
import { insertAuthorization } from './authorizations.ts'
import { SCOPES, scopesOf } from './client-params.ts'
import { findClient, listOf } from './clients.ts'

/** Upstream's default for GOTRUE_OAUTH_SERVER_DEFAULT_SCOPE. */
const DEFAULT_SCOPE = 'email'

/** GET /oauth/authorize: redirects to the project's consent page; errors only to a verified client and redirect URI.
 *  @see supabase/auth internal/api/oauthserver/authorize.go */
export async function authorizeClient(
  { db, config, log }: AuthDeps,
  { query, now, requestId }: Call,
): Promise<Response> {
  const param = (name: string) => query.get(name) ?? ''
  const redirectUri = param('redirect_uri')
  for (const name of ['client_id', 'redirect_uri'])
    if (param(name) === '') throw authError('oauthAuthorizeMissing', [name])
  if (!isUuid(param('client_id'))) throw authError('oauthAuthorizeClientFormat')
  const client = await findClient(db, param('client_id'))
  if (!client) throw authError('oauthAuthorizeClient')
  if (!listOf(client.redirect_uris).includes(redirectUri)) throw authError('oauthRedirectInvalid')
  const request = {
    clientId: client.id,
    redirectUri,
    scope: param('scope') || DEFAULT_SCOPE,
    state: param('state'),
    resource: param('resource'),
    nonce: param('nonce'),
    code_challenge: param('code_challenge'),
    code_challenge_method: param('code_challenge_method'),
  }
  const fault = requestFault({ ...request, responseType: param('response_type') || 'code' })
  if (fault) return redirect(errorUrl(redirectUri, 'invalid_request', fault, request.state))
  try {
    return redirect(consentPage(config, await insertAuthorization(db, request, now)))
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error
    log.error('auth: an authorization could not be stored', error, { requestId })
    return redirect(errorUrl(redirectUri, 'server_error', 'error creating authorization', request.state))
  }
}

function consentPage({ site_url, oauth_server }: AuthConfig, authorizationId: string): string {
  const path = oauth_server.authorization_url_path.replace(/^\/?/, '/')
  return `${site_url.replace(/\/+$/, '')}${path}?authorization_id=${authorizationId}`
}

type AuthorizationRequest = {
  readonly responseType: string
  readonly scope: string
  readonly resource: string
  readonly code_challenge: string
  readonly code_challenge_method: string
}

function requestFault({
  responseType,
  scope,
  resource,
  code_challenge: challenge,
  code_challenge_method: method,
}: AuthorizationRequest) {
  if (responseType !== 'code') return 'only response_type=code is supported'
  const scopes = scopesOf(scope)
  if (scopes.length === 0) return 'scope parameter cannot be empty'
  const unknown = scopes.find((asked) => !SCOPES.some((scope) => scope === asked))
  if (unknown) return `unsupported scope: ${unknown}`
  const fault = resourceFault(resource)
  if (fault) return fault
  if (challenge === '' || method === '') return 'PKCE flow requires both code_challenge and code_challenge_method'
  if (!['s256', 'plain'].includes(method.toLowerCase())) return "code_challenge_method must be 'S256' or 'plain'"
  return challenge.length < 43 || challenge.length > 128 ? 'code_challenge must be between 43 and 128 characters' : null
}

/** RFC 8707 §2. */
function resourceFault(resource: string): string | null {
  if (resource === '') return null
  const url = URL.parse(resource)
  if (!url) return 'resource must be an absolute URI'
  if (url.hash !== '') return 'resource must not include a fragment component'
  return url.search === '' ? null : 'resource must not include a query component'
}

/** RFC 6749 §4.1.2.1. */
export function errorUrl(redirectUri: string, error: string, description: string, state: string): string {
  return withParams(redirectUri, { error, error_description: description, ...(state ? { state } : {}) })
}

export function withParams(redirectUri: string, params: Readonly<Record<string, string>>): string {
  const url = new URL(redirectUri)
  for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value)
  url.searchParams.sort()
  return url.href
}

const redirect = (location: string): Response => new Response(null, { status: 302, headers: { location } })
