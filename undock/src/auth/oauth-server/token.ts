import type { AuthDeps } from '../deps.ts'
import { authError, oauthError } from '../errors.ts'
import { refreshGrant } from '../flows/refresh-grant.ts'
import { startSession, type TokenResponse } from '../flows/start-session.ts'
import { withHooks } from '../hooks/hooks.ts'
import { parseBody, readText } from '../http/body.ts'
import { type Call, json } from '../http/call.ts'
import { verifierMatches } from '../models/flow-states.ts'
import { isUuid, object } from '../models/params.ts'
import { isBanned } from '../models/user.ts'
import { findUser, idIs } from '../models/users.ts'
import { type Authorization, deleteAuthorization, lockApproved } from './authorizations.ts'
import { scopesOf } from './client-params.ts'
import { type AuthMethod, clientSecretMatches, findClient, listOf, type OAuthClient } from './clients.ts'
import { signIdToken } from './id-token.ts'

type Credentials = { readonly id: string; readonly secret: string; readonly method: AuthMethod }

/** Authenticates the token endpoint's client, only by the method that it registered.
 *  @throws `invalid_credentials`
 *  @see supabase/auth internal/api/middleware.go, requireOAuthClientAuth */
async function requireClient(
  { db }: AuthDeps,
  { request }: Call,
  params: ReadonlyMap<string, string>,
): Promise<OAuthClient> {
  const { id, secret, method } = readCredentials(request.headers.get('authorization') ?? '', params)
  if (!isUuid(id)) throw authError('oauthCredentialsInvalid', ['Invalid client_id format'])
  const client = await findClient(db, id)
  if (!client) throw authError('oauthCredentialsInvalid', ['Invalid client credentials'])
  const fault = authenticationFault(client, secret, method)
  if (fault) throw authError('oauthCredentialsInvalid', [fault])
  return client
}

function readCredentials(header: string, params: ReadonlyMap<string, string>): Credentials {
  const invalid = (why: string) => authError('oauthCredentialsInvalid', [`Invalid client credentials: ${why}`])
  const basic = /^Basic (.*)$/s.exec(header)?.[1]
  if (basic !== undefined) {
    if (!/^[A-Za-z0-9+/]*={0,2}$/.test(basic)) throw invalid('invalid basic auth encoding')
    const [, id, secret] = /^([^:]*):(.*)$/s.exec(Buffer.from(basic, 'base64').toString('utf8')) ?? []
    if (id === undefined || secret === undefined) throw invalid('invalid basic auth format')
    return { id: formDecoded(id), secret: formDecoded(secret), method: 'client_secret_basic' }
  }
  const id = params.get('client_id') ?? ''
  const secret = params.get('client_secret') ?? ''
  if (id === '') throw invalid('client_id is required')
  return { id, secret, method: secret === '' ? 'none' : 'client_secret_post' }
}

/** Clients form-encode both values (RFC 6749 §2.3.1). Upstream doesn't decode them and refuses such clients. */
const formDecoded = (value: string): string =>
  new URLSearchParams(`value=${value.replaceAll('&', '%26')}`).get('value') ?? ''

function authenticationFault(client: OAuthClient, secret: string, method: AuthMethod): string | null {
  const registered = client.token_endpoint_auth_method
  if (method !== registered) {
    return `invalid authentication method: client is registered for '${registered}' but '${method}' was used`
  }
  if (client.client_type === 'public') return secret === '' ? null : 'public clients must not provide client_secret'
  if (secret === '') return 'confidential clients must provide client_secret'
  return clientSecretMatches(secret, client.client_secret_hash ?? '') ? null : 'invalid client credentials'
}

type Params = ReadonlyMap<string, string>

/** POST /oauth/token: exchanges a code or refresh token (RFC 6749 §3.2). The body is a form or JSON.
 *  @see supabase/auth internal/api/oauthserver/handlers.go */
export async function oauthToken(deps: AuthDeps, call: Call): Promise<Response> {
  const params = await readParams(call)
  const client = await requireClient(deps, call, params)
  const grant = params.get('grant_type') ?? ''
  if (grant === '') throw oauthError('invalid_request', 'grant_type is required')
  if (!listOf(client.grant_types).includes(grant)) {
    throw oauthError('unsupported_grant_type', `Client is not allowed to use grant type: ${grant}`)
  }
  return grant === 'authorization_code' ? exchangeCode(deps, call, client, params) : refresh(deps, call, client, params)
}

async function readParams({ request, query }: Call): Promise<Params> {
  const body = await readText(request)
  if ((request.headers.get('content-type') ?? '').includes('application/json')) {
    const texts = Object.entries(parseBody(body, object)).filter(([, value]) => typeof value === 'string')
    return new Map(texts as [string, string][])
  }
  return new Map([...query, ...new URLSearchParams(body)])
}

async function exchangeCode(deps: AuthDeps, call: Call, client: OAuthClient, params: Params): Promise<Response> {
  const code = params.get('code') ?? ''
  if (code === '') throw oauthError('invalid_request', 'code is required for authorization_code grant')
  return withHooks(deps, ['custom_access_token'], (deps) => openSession(deps, call, { client, params, code }))
}

async function openSession(
  deps: AuthDeps,
  call: Call,
  { client, params, code }: { readonly client: OAuthClient; readonly params: Params; readonly code: string },
): Promise<Response> {
  const authorization = await deps.db.transaction(async (tx) => {
    const approved = await lockApproved(tx, code)
    if (!approved) throw oauthError('invalid_grant', 'Invalid authorization code')
    checkExchange(approved, client, params, call.now)
    await deleteAuthorization(tx, approved.id)
    return approved
  })
  if (!authorization.user_id) throw oauthError('invalid_grant', 'Authorization code has no associated user')
  const user = await findUser(deps.db, idIs(authorization.user_id))
  if (!user) throw oauthError('invalid_grant', 'User not found for authorization code')
  if (isBanned(user, call.now)) throw oauthError('access_denied', 'User is banned')
  const { scope, nonce } = authorization
  const traits = { provider_type: 'oauth_provider_authorization_code', client_id: client.id }
  const session = await startSession(deps, call, {
    user,
    method: 'oauth_provider/authorization_code',
    entry: { action: 'login', traits },
    options: { grant: { clientId: client.id, scopes: scope } },
  })
  const idToken = scopesOf(scope).includes('openid')
    ? {
        id_token: await signIdToken(deps, call, {
          user: { ...user, last_sign_in_at: call.now },
          clientId: client.id,
          scope,
          nonce: nonce ?? '',
        }),
      }
    : {}
  return answer(session, idToken)
}

function checkExchange(authorization: Authorization, client: OAuthClient, params: Params, now: Date): void {
  const refused = (why: string) => oauthError('invalid_grant', why)
  const resource = params.get('resource') ?? ''
  const redirectUri = params.get('redirect_uri') ?? ''
  const verifier = params.get('code_verifier') ?? ''
  if (now > authorization.expires_at) throw refused('Authorization code has expired')
  if (authorization.client_id !== client.id) throw refused('Authorization code was not issued for this client')
  if (resource !== '' && resource !== authorization.resource) {
    throw refused('Authorization code resource does not match the resource parameter')
  }
  if (redirectUri !== '' && redirectUri !== authorization.redirect_uri) throw refused('Invalid redirect_uri')
  if (verifier === '') {
    throw refused('PKCE verification failed: code_verifier is required when PKCE challenge is present')
  }
  if (!verifierMatches(authorization, verifier)) {
    throw refused('PKCE verification failed: code challenge does not match previously saved code verifier')
  }
}

async function refresh(deps: AuthDeps, call: Call, client: OAuthClient, params: Params): Promise<Response> {
  const token = params.get('refresh_token') ?? ''
  if (token === '') throw oauthError('invalid_request', 'refresh_token is required for refresh_token grant')
  return answer(await refreshGrant(deps, call, { refresh_token: token }, client.id))
}

/** Contains nothing about the user beyond what the scopes put into the tokens. */
function answer({ access_token, token_type, expires_in, refresh_token }: TokenResponse, extra = {}): Response {
  return json({ access_token, token_type, expires_in, refresh_token, ...extra }, 200, { 'cache-control': 'no-store' })
}
