import { z } from 'zod'
import type { AuthDeps } from './deps.ts'
import { authError, oauthError } from './errors.ts'
import { text } from './params.ts'

export const IdTokenGrant = z.object({ id_token: text, provider: text, client_id: text, issuer: text })

/** Says what upstream says of a provider that is not set up: no provider's ID tokens are checked here yet. */
export async function idTokenGrant(deps: AuthDeps, grant: z.infer<typeof IdTokenGrant>): Promise<never> {
  if (grant.id_token === '') throw oauthError('invalid request', 'id_token required')
  if (grant.provider === '' && (grant.client_id === '' || grant.issuer === '')) {
    throw oauthError('invalid request', 'provider or client_id and issuer required')
  }
  if (!deps.config.external[grant.provider]?.enabled) {
    throw authError('idTokenProviderDisabled', [grant.provider || grant.issuer])
  }
  throw authError('idTokenUnsupported', [grant.provider])
}
