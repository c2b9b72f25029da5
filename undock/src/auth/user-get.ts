import { type CallerCall, json } from './call.ts'
import type { AuthDeps } from './deps.ts'
import { authError } from './errors.ts'
import { presentUser } from './user.ts'

/** GET /user */
export async function getOwnUser(_deps: AuthDeps, { caller, aud }: CallerCall): Promise<Response> {
  const [claimed] = [caller.claims.aud].flat()
  if (claimed !== aud) throw authError('audienceMismatch')
  return json(presentUser(caller.user))
}
