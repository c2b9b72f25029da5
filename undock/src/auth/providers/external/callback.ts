import type { AuthDeps } from '../../deps.ts'
import { authError, oauthError } from '../../errors.ts'
import { confirmEmail } from '../../flows/account.ts'
import { startSession, tokenFragment } from '../../flows/start-session.ts'
import { readText } from '../../http/body.ts'
import type { Call } from '../../http/call.ts'
import { errorFields } from '../../http/render-error.ts'
import { audit } from '../../models/audit.ts'
import { insertIdentity, updateProviders } from '../../models/identities.ts'
import { findUserByToken } from '../../models/one-time-tokens.ts'
import type { User } from '../../models/user.ts'
import { merged, reloadUser, updateUser } from '../../models/users.ts'
import { accountFor, deleteUnprovenCredentials } from '../accounts.ts'
import { claimOAuthState, completeOAuthState, type OAuthState } from '../oauth-states.ts'
import { identityData, type Profile } from '../profile.ts'
import { exchangeCode } from './exchange.ts'
import { linkIdentity } from './link-identity.ts'
import { exchangeVerifier } from './oauth1.ts'
import { findProvider } from './registry.ts'

/** GET and POST /callback: where a provider redirects. Errors also redirect to the project's site.
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

/** Accepts an invitation with an external identity that has the invited address.
 *  @throws `invite_not_found`, `validation_failed`
 *  @see supabase/auth internal/api/external.go, processInvite */
async function acceptInvite(
  deps: AuthDeps,
  { now }: Call,
  { token, provider, profile }: { readonly token: string; readonly provider: string; readonly profile: Profile },
): Promise<User> {
  const data = identityData(profile)
  return deps.db.transaction(async (tx) => {
    const user = await findUserByToken(tx, [token], ['confirmation_token'])
    if (!user) throw authError('inviteUnknown')
    if (!profile.emails.some(({ email }) => email.toLowerCase() === user.email)) throw authError('inviteForeign')
    const identityId = await insertIdentity(tx, { userId: user.id, provider, data, now })
    await audit(tx, { actor: user, action: 'invite_accepted', traits: { provider } }, now)
    await deleteUnprovenCredentials(tx, await reloadUser(tx, user.id), { identityId, profile, now })
    const raw_user_meta_data = merged(user.raw_user_meta_data, data)
    await updateUser(tx, user.id, { raw_user_meta_data }, now)
    await confirmEmail(tx, { id: user.id, raw_user_meta_data }, now)
    await updateProviders(tx, await reloadUser(tx, user.id), now)
    return reloadUser(tx, user.id)
  })
}
