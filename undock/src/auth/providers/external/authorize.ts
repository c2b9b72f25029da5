import { calculatePKCECodeChallenge, randomPKCECodeVerifier } from 'openid-client'
import type { AuthDeps } from '../../deps.ts'
import { authError } from '../../errors.ts'
import { type AuthenticatedCall, type Call, json } from '../../http/call.ts'
import { findUserByToken } from '../../models/one-time-tokens.ts'
import { checkPkce } from '../../models/params.ts'
import { insertOAuthState, type OAuthContext } from '../oauth-states.ts'
import { callbackUrl } from './exchange.ts'
import { requestTokenUrl } from './oauth1.ts'
import { findProvider } from './registry.ts'

/** Provider parameters that only Auth sets; clients can't override them. */
const RESERVED = new Set([
  'client_id',
  'client_secret',
  'redirect_uri',
  'response_type',
  'state',
  'code_challenge',
  'code_challenge_method',
  'code_verifier',
])

/** Clients' parameters for Auth itself, which aren't passed on. */
const OURS = new Set(['provider', 'scopes', 'redirect_to', 'skip_http_redirect', 'invite_token', 'apikey'])

/** GET /authorize: redirects to the provider. @see supabase/auth internal/api/external.go */
export async function authorize(deps: AuthDeps, call: Call): Promise<Response> {
  return redirect(await authorizationUrl(deps, call, null))
}

/** GET /user/identities/authorize: links the identity that the provider returns to the caller's account. */
export async function authorizeLink(deps: AuthDeps, call: AuthenticatedCall): Promise<Response> {
  const url = await authorizationUrl(deps, call, call.caller.user.id)
  return call.query.get('skip_http_redirect') === 'true' ? json({ url }) : redirect(url)
}

async function authorizationUrl(deps: AuthDeps, call: Call, linkingTargetId: string | null): Promise<string> {
  const { query, now, redirectTo } = call
  const name = (query.get('provider') ?? '').toLowerCase()
  const provider = await findProvider(deps, name)
  if (typeof provider === 'string') throw authError('providerUnsupported', [provider])
  const inviteToken = query.get('invite_token') ?? ''
  if (inviteToken !== '' && !(await findUserByToken(deps.db, [inviteToken], ['confirmation_token']))) {
    throw authError('inviteUserUnknown')
  }
  const pkce = {
    code_challenge: query.get('code_challenge') ?? '',
    code_challenge_method: query.get('code_challenge_method') ?? '',
  }
  checkPkce(pkce)
  const context: OAuthContext = {
    provider: name,
    redirectTo,
    linkingTargetId,
    inviteToken,
    emailOptional: provider.emailOptional,
    verifier: provider.pkce ? randomPKCECodeVerifier() : null,
  }
  const state = await insertOAuthState(deps.db, context, pkce, now)
  if (provider.requestTokenUrl) return requestTokenUrl(deps, provider, `${callbackUrl(deps, name)}?state=${state}`)
  const url = new URL(provider.authorizeUrl)
  for (const [key, value] of query)
    if (!OURS.has(key) && !RESERVED.has(key.toLowerCase())) {
      // WorkOS expects the actual provider in a parameter with the same name as ours.
      url.searchParams.set(key === 'workos_provider' ? 'provider' : key, value)
    }
  for (const [key, value] of Object.entries(provider.extra ?? {})) url.searchParams.set(key, value)
  const requested = (query.get('scopes') ?? '').split(/[\s,]+/).filter(Boolean)
  const scopes = provider.scopesReplaced && requested.length > 0 ? requested : [...provider.scopes, ...requested]
  url.searchParams.set('client_id', provider.clientId)
  url.searchParams.set('redirect_uri', callbackUrl(deps, name))
  url.searchParams.set('response_type', 'code')
  if (scopes.length > 0) url.searchParams.set('scope', [...new Set(scopes)].join(' '))
  url.searchParams.set('state', state)
  if (context.verifier) {
    url.searchParams.set('code_challenge', await calculatePKCECodeChallenge(context.verifier))
    url.searchParams.set('code_challenge_method', 'S256')
  }
  return url.href
}

const redirect = (location: string): Response => new Response(null, { status: 302, headers: { location } })
