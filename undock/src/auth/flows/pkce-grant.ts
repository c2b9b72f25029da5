import { z } from 'zod'
import type { AuthDeps } from '../deps.ts'
import { authError } from '../errors.ts'
import { withHooks } from '../hooks/hook-transaction.ts'
import type { Call } from '../http/call.ts'
import { deleteFlowState, flowStateExpired, lockFlowState, verifierMatches } from '../models/flow-states.ts'
import { text } from '../models/params.ts'
import { reloadUser } from '../models/users.ts'
import { startSession, type TokenResponse } from './start-session.ts'

export const PkceGrant = z.object({ auth_code: text, code_verifier: text })

/** Exchanges the authorization code of a link for a session. The client has to know the challenge's verifier, and each
 *  code is exchanged once. */
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
