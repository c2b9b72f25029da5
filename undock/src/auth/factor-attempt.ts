import type { CallerCall } from './call.ts'
import type { AuthDeps } from './deps.ts'
import { authError } from './errors.ts'
import { judgeAttempt } from './hooks.ts'
import { deleteSessionsOf } from './sessions.ts'
import type { Factor } from './user.ts'

/** Lets the project's hook judge an answer to a challenge; one that it rejects ends every session of the user.
 *  @throws `mfa_verification_rejected` */
export async function judgeFactor(deps: AuthDeps, call: CallerCall, factor: Factor, valid: boolean): Promise<void> {
  const { user } = call.caller
  const attempt = { user_id: user.id, factor_id: factor.id, factor_type: factor.factor_type, valid }
  const rejection = await judgeAttempt(deps, call, 'mfa_verification_attempt', attempt)
  if (!rejection) return
  await deleteSessionsOf(deps.db, user.id)
  throw authError('mfaAttemptRejected', [rejection.message])
}
