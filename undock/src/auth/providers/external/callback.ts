import type { AuthDeps } from '../../deps.ts'
import { authError, oauthError } from '../../errors.ts'
import { startSession, tokenFragment } from '../../flows/start-session.ts'
import { readText } from '../../http/body.ts'
import type { Call } from '../../http/call.ts'
import { errorFields } from '../../http/redirect-errors.ts'
import type { User } from '../../models/user.ts'
import { accountFor } from '../accounts.ts'
import { claimOAuthState, completeOAuthState, type OAuthState } from '../oauth-states.ts'
import { acceptInvite } from './accept-invite.ts'
import { exchangeCode } from './exchange.ts'
import { linkIdentity } from './link-identity.ts'
import { exchangeVerifier } from './oauth1.ts'
import { findProvider } from './registry.ts'

/** GET and POST /callback: the address to which a provider redirects. Errors, too, redirect to the project's site.
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
    return redirect(await signIn(deps, { ...call, redirectTo: target }, { state, params, target }), 302)
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
  { state, params, target }: { readonly state: OAuthState; readonly params: URLSearchParams; readonly target: string },
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
      await completeOAuthState(deps.db, { id: state.id, userId: user.id, tokens, method: 'oauth' }, call.now)
      const url = new URL(target)
      url.searchParams.set('code', state.authCode)
      return url.href
    }
    const session = await startSession(deps, call, { user, method: 'oauth' })
    const provided = {
      provider_token: tokens.accessToken,
      ...(tokens.refreshToken ? { provider_refresh_token: tokens.refreshToken } : {}),
    }
    return `${target}#${tokenFragment(session, provided)}`
  }
  const { linkingTargetId, inviteToken, emailOptional } = state
  if (linkingTargetId)
    return open(deps, await linkIdentity(deps, call, { targetId: linkingTargetId, provider: state.provider, profile }))
  if (inviteToken !== '')
    return open(deps, await acceptInvite(deps, call, { token: inviteToken, provider: state.provider, profile }))
  return accountFor(deps, call, { provider: state.provider, profile, emailOptional }, open)
}

const redirect = (location: string, status: 302 | 303): Response =>
  new Response(null, { status, headers: { location } })
