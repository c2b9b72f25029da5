import type { AuthDeps } from '../deps.ts'
import { authError } from '../errors.ts'
import type { AuthenticatedCall } from '../http/call.ts'
import { isOAuthClient } from '../http/caller.ts'
import { audit } from '../models/audit.ts'
import { deleteSession, deleteSessionsOf } from '../models/sessions.ts'

/** POST /logout?scope=global|local|others. An OAuth client can only end its own session.
 *  @see supabase/auth internal/api/logout.go */
export async function logout(deps: AuthDeps, { caller, query, now }: AuthenticatedCall): Promise<Response> {
  const { user, session } = caller
  const scope = query.get('scope') || 'global'
  if (!['global', 'local', 'others'].includes(scope)) throw authError('logoutScope', [scope])
  if (scope !== 'local' && isOAuthClient(caller)) throw authError('logoutClientScope')
  await deps.db.transaction(async (tx) => {
    await audit(tx, { actor: user, action: 'logout' }, now)
    if (session && scope === 'local') await deleteSession(tx, session.id)
    else await deleteSessionsOf(tx, user.id, session && scope === 'others' ? session.id : null)
  })
  return new Response(null, { status: 204 })
}
