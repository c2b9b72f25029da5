import { ServiceError } from '../../kernel/service-error.ts'
import { readText } from '../body.ts'
import type { Call } from '../call.ts'
import type { AuthDeps } from '../deps.ts'
import { authError, OAUTH_SHAPE, oauthError } from '../errors.ts'
import { startSession, tokenFragment } from '../start-session.ts'
import type { User } from '../user.ts'
import { accountFor } from './accounts.ts'
import { exchangeCode } from './exchange.ts'
import { acceptInvite } from './invite.ts'
import { linkTo } from './link.ts'
import { claimOAuthState, completeOAuthState, type OAuthState } from './oauth-states.ts'
import { exchangeVerifier } from './oauth1.ts'
import { findProvider } from './providers/registry.ts'

/** GET and POST /callback: where a provider sends people back to. Whatever happens, they end at the site.
 *  @see supabase/auth internal/api/external.go, external_oauth.go */
export async function callback(deps: AuthDeps, call: Call): Promise<Response> {
  const { config } = deps
  const params = call.request.method === 'POST' ? new URLSearchParams(await readText(call.request)) : call.query
  let state: OAuthState
  try {
    state = await claimOAuthState(deps.db, params.get('state') ?? '', call.now)
  } catch (error) {
    const url = new URL(config.site_url)
    for (const [name, value] of Object.entries(errorFields(deps, call, error))) url.searchParams.set(name, value)
    return redirect(url.href, 303)
  }
  const target = deps.redirects.choose([state.redirectTo])
  try {
    return redirect(await signIn(deps, { ...call, redirectTo: target }, state, params, target), 302)
  } catch (error) {
    const fields = errorFields(deps, call, error)
    const url = new URL(target)
    for (const [name, value] of Object.entries(fields)) url.searchParams.set(name, value)
    url.hash = new URLSearchParams({ ...fields, sb: '' }).toString()
    return redirect(url.href, 302)
  }
}

async function signIn(
  deps: AuthDeps,
  call: Call,
  state: OAuthState,
  params: URLSearchParams,
  target: string,
): Promise<string> {
  const refused = params.get('error')
  if (refused) throw oauthError(refused, params.get('error_description') ?? '')
  const provider = await findProvider(deps, state.provider)
  if (typeof provider === 'string') throw authError('providerGone', [provider])
  if (!provider.requestTokenUrl && !params.get('code')) throw authError('callbackCode')
  const { profile, tokens } = provider.requestTokenUrl
    ? await exchangeVerifier(deps, provider, params)
    : await exchangeCode(deps, provider, state, params)
  if (profile.sub === '') throw authError('providerProfile')
  if (profile.emails.length === 0 && !state.emailOptional) throw authError('providerEmailMissing')
  const open = async (deps: AuthDeps, user: User): Promise<string> => {
    if (state.authCode) {
      await completeOAuthState(deps.db, state.id, user.id, tokens, call.now)
      const url = new URL(target)
      url.searchParams.set('code', state.authCode)
      return url.href
    }
    const session = await startSession(deps, call, user, 'oauth')
    const provided = {
      provider_token: tokens.accessToken,
      ...(tokens.refreshToken ? { provider_refresh_token: tokens.refreshToken } : {}),
    }
    return `${target}#${tokenFragment(session, provided)}`
  }
  const { linkingTargetId, inviteToken, emailOptional } = state
  if (linkingTargetId) return open(deps, await linkTo(deps, call, linkingTargetId, state.provider, profile))
  if (inviteToken !== '') return open(deps, await acceptInvite(deps, call, inviteToken, state.provider, profile))
  return accountFor(deps, call, state.provider, profile, emailOptional, open)
}

const DENIED = new Set(['signup_disabled', 'user_banned', 'provider_email_needs_verification'])

const KINDS: Readonly<Record<number, string>> = {
  400: 'invalid_request',
  401: 'unauthorized_client',
  403: 'access_denied',
  500: 'server_error',
  503: 'temporarily_unavailable',
}

/** What is told of a fault where only a URL can tell it. */
export function errorFields(deps: AuthDeps, { requestId }: Call, thrown: unknown): Record<string, string> {
  const error = thrown instanceof ServiceError ? thrown : authError('unexpected', [], { cause: thrown })
  if (error.status >= 500) deps.log.error(`auth: ${error.message}`, error.cause ?? error, { requestId })
  if (error.details === OAUTH_SHAPE) return { error: error.code, error_description: error.message }
  const kind = DENIED.has(error.code) ? 'access_denied' : (KINDS[error.status] ?? 'server_error')
  return { error: kind, error_code: error.code, error_description: error.message }
}

const redirect = (location: string, status: 302 | 303): Response =>
  new Response(null, { status, headers: { location } })
