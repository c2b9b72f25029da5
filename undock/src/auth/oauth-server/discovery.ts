import type { AuthDeps } from '../deps.ts'
import { type Call, json } from '../http/call.ts'
import { SCOPES } from './client-params.ts'

const CACHED = { 'cache-control': 'public, max-age=600' }

/** GET /.well-known/jwks.json: the public keys for verifying access tokens. */
export async function jwks({ identity }: AuthDeps, _call: Call): Promise<Response> {
  return json(identity.jwks(), 200, CACHED)
}

/** GET /.well-known/openid-configuration and /.well-known/oauth-authorization-server
 *  @see supabase/auth internal/api/jwks.go */
export async function openidConfiguration({ identity, config }: AuthDeps, _call: Call): Promise<Response> {
  const base = identity.issuer.replace(/\/+$/, '')
  const { enabled, allow_dynamic_registration: registers } = config.oauth_server
  const document = {
    issuer: identity.issuer,
    authorization_endpoint: `${base}/oauth/authorize`,
    token_endpoint: `${base}/oauth/token`,
    jwks_uri: `${base}/.well-known/jwks.json`,
    userinfo_endpoint: `${base}/oauth/userinfo`,
    ...(enabled && registers ? { registration_endpoint: `${base}/oauth/clients/register` } : {}),
    scopes_supported: SCOPES,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256', 'HS256', 'ES256'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
    claims_supported: [
      'sub',
      'aud',
      'iss',
      'exp',
      'iat',
      'auth_time',
      'nonce',
      'email',
      'email_verified',
      'phone_number',
      'phone_number_verified',
      'name',
      'picture',
      'preferred_username',
      'updated_at',
    ],
    code_challenge_methods_supported: ['S256', 'plain'],
  }
  return json(document, 200, CACHED)
}
