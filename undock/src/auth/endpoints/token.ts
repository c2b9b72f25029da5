import { z } from 'zod'
import { passwordMatches, weaknessOf } from '../credentials/passwords.ts'
import type { AuthDeps } from '../deps.ts'
import { authError } from '../errors.ts'
import { RefreshGrant, refreshGrant } from '../flows/refresh-grant.ts'
import { startSession, type TokenResponse } from '../flows/start-session.ts'
import { callAttemptHook, withHooks } from '../hooks/hooks.ts'
import { readBody } from '../http/body.ts'
import { type Call, json } from '../http/call.ts'
import { captchaParams, verifyCaptcha } from '../http/captcha.ts'
import { deleteFlowState, flowStateExpired, lockFlowState, verifierMatches } from '../models/flow-states.ts'
import { formatPhone, text } from '../models/params.ts'
import { deleteSessionsOf } from '../models/sessions.ts'
import { isBanned, type User } from '../models/user.ts'
import { emailIs, findUser, phoneIs, reloadUser } from '../models/users.ts'
import { IdTokenGrant, idTokenGrant } from '../providers/external/id-token-grant.ts'
import { web3Grant } from '../providers/web3/grant.ts'

const PkceGrant = z.object({ auth_code: text, code_verifier: text })

/** Exchanges a link's authorization code for a session, once, if the client knows the challenge's verifier. */
async function pkceGrant(deps: AuthDeps, call: Call, grant: z.infer<typeof PkceGrant>): Promise<TokenResponse> {
  if (grant.auth_code === '' || grant.code_verifier === '') throw authError('pkceParamsMissing')
  const { state, session } = await withHooks(deps, ['custom_access_token'], (deps) => exchange(deps, call, grant))
  return {
    ...session,
    ...(state.provider_access_token ? { provider_token: state.provider_access_token } : {}),
    ...(state.provider_refresh_token ? { provider_refresh_token: state.provider_refresh_token } : {}),
  }
}

async function exchange(deps: AuthDeps, call: Call, grant: z.infer<typeof PkceGrant>) {
  const state = await deps.db.transaction(async (tx) => {
    const state = await lockFlowState(tx, grant.auth_code)
    if (!state?.user_id) throw authError('flowStateUnknown')
    if (flowStateExpired(state, call.now)) throw authError('flowStateExpired')
    if (!verifierMatches(state, grant.code_verifier)) throw authError('verifierMismatch')
    await deleteFlowState(tx, state.id)
    return { ...state, user_id: state.user_id }
  })
  const user = await reloadUser(deps.db, state.user_id)
  const session = await startSession(deps, call, {
    user,
    method: state.authentication_method,
    entry: {
      action: 'login',
      traits: { provider_type: state.provider_type },
    },
  })
  return { state, session }
}

const PasswordGrant = z.object({ ...captchaParams, email: text, phone: text, password: text })
type PasswordGrant = z.infer<typeof PasswordGrant>

async function passwordGrant(deps: AuthDeps, call: Call, grant: PasswordGrant): Promise<TokenResponse> {
  const { user, provider } = await findAccount(deps, call, grant)
  // Unknown addresses are compared with a decoy hash, so that the response time doesn't reveal who has an account.
  const matches = await passwordMatches(grant.password, user?.encrypted_password ?? '')
  if (!user || user.encrypted_password === '') throw authError('credentialsInvalid')
  // As upstream, even if the password is wrong.
  if (isBanned(user, call.now)) throw authError('userBanned')
  const rejection = await callAttemptHook(deps, call, 'password_verification_attempt', {
    user_id: user.id,
    valid: matches,
  })
  if (rejection) {
    if (rejection.logout) await deleteSessionsOf(deps.db, user.id)
    throw authError('passwordAttemptRejected', [rejection.message])
  }
  if (!matches) throw authError('credentialsInvalid')
  if (provider === 'email' && !user.email_confirmed_at) throw authError('emailUnconfirmed')
  if (provider === 'phone' && !user.phone_confirmed_at) throw authError('phoneUnconfirmed')
  const session = await startSession(deps, call, {
    user,
    method: 'password',
    entry: { action: 'login', traits: { provider } },
  })
  // Passwords set before the rules became stricter still sign in; the response reports their weakness.
  const weakness = weaknessOf(grant.password, deps.config)
  return weakness ? { ...session, weak_password: weakness } : session
}

type Account = { readonly user: User | null; readonly provider: 'email' | 'phone' }

async function findAccount({ config, db }: AuthDeps, { aud }: Call, { email, phone }: PasswordGrant): Promise<Account> {
  if (email !== '' && phone !== '') throw authError('loginOneAddress')
  if (email !== '') {
    if (!config.email.enabled) throw authError('emailLoginDisabled')
    return { user: await findUser(db, emailIs(email, aud)), provider: 'email' }
  }
  if (phone === '') throw authError('loginAddressMissing')
  if (!config.sms.enabled) throw authError('phoneLoginDisabled')
  return { user: await findUser(db, phoneIs(formatPhone(phone), aud)), provider: 'phone' }
}

/** POST /token: exchanges a grant for a session. @see supabase/auth internal/api/token.go */
export async function token(deps: AuthDeps, call: Call): Promise<Response> {
  const grantType = call.query.get('grant_type')
  await deps.limits.takeRequest(grantType === 'web3' ? 'web3' : 'token', call.client.address)
  switch (grantType) {
    case 'password': {
      const grant = await readBody(call.request, PasswordGrant)
      await verifyCaptcha(deps, call, grant.gotrue_meta_security)
      return json(await passwordGrant(deps, call, grant))
    }
    case 'refresh_token':
      return json(await refreshGrant(deps, call, await readBody(call.request, RefreshGrant)))
    case 'pkce':
      return json(await pkceGrant(deps, call, await readBody(call.request, PkceGrant)))
    case 'id_token':
      return json(await idTokenGrant(deps, call, await readBody(call.request, IdTokenGrant)))
    case 'web3':
      return json(await web3Grant(deps, call))
    default:
      throw authError('grantUnsupported')
  }
}
