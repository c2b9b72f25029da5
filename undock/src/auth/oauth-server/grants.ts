import type { AuthDeps } from '../deps.ts'
import { authError } from '../errors.ts'
import { type AuthenticatedCall, json } from '../http/call.ts'
import { audit } from '../models/audit.ts'
import { isUuid } from '../models/params.ts'
import { listClients, presentClientForConsent } from './clients.ts'
import { deleteSessionsOfClient, listConsents, revokeConsent } from './consents.ts'
import { scopesOf } from './scopes.ts'

/** GET /user/oauth/grants: the clients that the caller has given consent to.
 *  @see supabase/auth internal/api/oauthserver/handlers.go */
export async function listGrants({ db }: AuthDeps, { caller }: AuthenticatedCall): Promise<Response> {
  const clients = new Map((await listClients(db)).map((client) => [client.id, client]))
  const consents = await listConsents(db, caller.user.id)
  return json(
    consents.flatMap(({ client_id, scopes, granted_at }) => {
      const client = clients.get(client_id)
      return client ? [{ client: presentClientForConsent(client), scopes: scopesOf(scopes), granted_at }] : []
    }),
  )
}

/** DELETE /user/oauth/grants?client_id: revokes the consent and ends the client's sessions. */
export async function revokeGrant({ db }: AuthDeps, { caller, query, now }: AuthenticatedCall): Promise<Response> {
  const { user } = caller
  const clientId = query.get('client_id') ?? ''
  if (clientId === '') throw authError('oauthGrantClientMissing')
  if (!isUuid(clientId)) throw authError('oauthClientIdInvalid')
  const [consent] = await listConsents(db, user.id, clientId)
  if (!consent) throw authError('oauthConsentUnknown')
  await db.transaction(async (tx) => {
    await revokeConsent(tx, consent.id, now)
    await deleteSessionsOfClient(tx, user.id, clientId)
    const traits = { oauth_client_id: clientId, action: 'revoke_oauth_grant' }
    await audit(tx, { actor: user, action: 'token_revoked', traits }, now)
  })
  return new Response(null, { status: 204 })
}
