import { randomUUID } from 'node:crypto'
import { blankUser } from './blank-user.ts'
import { type Call, json } from './call.ts'
import type { AuthDeps } from './deps.ts'
import { authError } from './errors.ts'
import { withHooks } from './hook-transaction.ts'
import { beforeUserCreated } from './hooks.ts'
import type { Json } from './params.ts'
import { startSession } from './start-session.ts'
import { presentUser } from './user.ts'
import { insertUser, reloadUser } from './users.ts'

/** An account without an address or a password; its session is all there is of it.
 *  @see supabase/auth internal/api/anonymous.go */
export async function signUpAnonymously(deps: AuthDeps, call: Call, data: Json): Promise<Response> {
  if (!deps.config.enable_anonymous_sign_ins) throw authError('anonymousDisabled')
  deps.limits.takeRequest('anonymous', call.client.address)
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
    return startSession(deps, call, await reloadUser(deps.db, user.id), 'anonymous')
  })
  return json(session)
}
