import { randomUUID } from 'node:crypto'
import type { AuthDeps } from '../deps.ts'
import { authError } from '../errors.ts'
import { checkSignup, decoyUser, isConfirmed, register, type Signup } from '../flows/registration.ts'
import { startSession } from '../flows/start-session.ts'
import { beforeUserCreated, withHooks } from '../hooks/hooks.ts'
import { type Call, json } from '../http/call.ts'
import type { Json } from '../models/params.ts'
import { blankUser, presentUser } from '../models/user.ts'
import { insertUser, reloadUser } from '../models/users.ts'

/** POST /signup @see supabase/auth internal/api/signup.go */
export async function signup(deps: AuthDeps, call: Call, body: Signup): Promise<Response> {
  if (body.email === '' && body.phone === '') return signUpAnonymously(deps, call, body.data ?? {})
  await deps.limits.takeRequest('signup', call.client.address)
  const user = await register(deps, call, body)
  if (!user) return json(decoyUser(deps.config, call, checkSignup(body, deps.config)))
  // Another confirmed address of the account doesn't prove that the caller owns this one.
  const isProved = isConfirmed(user, body.email !== '' ? 'email' : 'phone')
  if (isProved) {
    const traits = { provider: body.email !== '' ? 'email' : 'phone' }
    return json(await startSession(deps, call, { user, method: 'password', entry: { action: 'login', traits } }))
  }
  // Signing up with an invited address doesn't prove ownership: reveal nothing of the invitation.
  return json(user.invited_at ? { ...presentUser(user), user_metadata: {}, identities: [] } : presentUser(user))
}

/** Creates an account without address or password, reachable only by its session.
 *  @see supabase/auth internal/api/anonymous.go */
async function signUpAnonymously(deps: AuthDeps, call: Call, data: Json): Promise<Response> {
  if (!deps.config.enable_anonymous_sign_ins) throw authError('anonymousDisabled')
  await deps.limits.takeRequest('anonymous', call.client.address)
  if (!deps.config.enable_signup) throw authError('signupDisabled')
  const { aud, now } = call
  const user = blankUser({
    id: randomUUID(),
    aud,
    raw_user_meta_data: data,
    is_anonymous: true,
    created_at: now,
    updated_at: now,
  })
  await beforeUserCreated(deps, call, presentUser(user))
  const session = await withHooks(deps, ['custom_access_token'], async (deps) => {
    await insertUser(deps.db, user, now, 'anonymousCreateFailed')
    return startSession(deps, call, { user: await reloadUser(deps.db, user.id), method: 'anonymous' })
  })
  return json(session)
}
