import type { AuthDeps } from '../deps.ts'
import { authError } from '../errors.ts'
import { callAttemptHook } from '../hooks/hooks.ts'
import type { AuthenticatedCall } from '../http/call.ts'
import { deleteSessionsOf } from '../models/sessions.ts'
import type { Factor } from '../models/user.ts'

/** Reports an attempt at a challenge to the project's hook. If the hook rejects it, all of the user's sessions end.
 *  @throws `mfa_verification_rejected` */
export async function callFactorAttemptHook(
  deps: AuthDeps,
  call: AuthenticatedCall,
  { factor, valid }: { readonly factor: Factor; readonly valid: boolean },
): Promise<void> {
  const { user } = call.caller
  const attempt = { user_id: user.id, factor_id: factor.id, factor_type: factor.factor_type, valid }
  const rejection = await callAttemptHook(deps, call, 'mfa_verification_attempt', attempt)
  if (!rejection) return
  await deleteSessionsOf(deps.db, user.id)
  throw authError('mfaAttemptRejected', [rejection.message])
}
