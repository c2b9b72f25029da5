import { z } from 'zod'
import type { Call } from './call.ts'
import type { AuthDeps } from './deps.ts'
import { authError } from './errors.ts'
import { deleteFlowState, flowStateExpired, lockFlowState, verifierMatches } from './flow-states.ts'
import { withHooks } from './hook-transaction.ts'
import { text } from './params.ts'
import { startSession, type TokenResponse } from './start-session.ts'
import { reloadUser } from './users.ts'

export const PkceGrant = z.object({ auth_code: text, code_verifier: text })

/** Exchanges the code that a link answered with, by whoever holds the verifier of its challenge; once. */
export async function pkceGrant(deps: AuthDeps, call: Call, grant: z.infer<typeof PkceGrant>): Promise<TokenResponse> {
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
    const found = await lockFlowState(tx, grant.auth_code)
    if (!found?.user_id) throw authError('flowStateUnknown')
    if (flowStateExpired(found, call.now)) throw authError('flowStateExpired')
    if (!verifierMatches(found, grant.code_verifier)) throw authError('verifierMismatch')
    await deleteFlowState(tx, found.id)
    return { ...found, user_id: found.user_id }
  })
  const user = await reloadUser(deps.db, state.user_id)
  const session = await startSession(deps, call, user, state.authentication_method, {
    action: 'login',
    traits: { provider_type: state.provider_type },
  })
  return { state, session }
}
