import type { AuthDeps } from '../deps.ts'
import { authError } from '../errors.ts'
import { PasswordGrant, passwordGrant } from '../flows/password-grant.ts'
import { PkceGrant, pkceGrant } from '../flows/pkce-grant.ts'
import { RefreshGrant, refreshGrant } from '../flows/refresh-grant.ts'
import { readBody } from '../http/body.ts'
import { type Call, json } from '../http/call.ts'
import { verifyCaptcha } from '../http/captcha.ts'
import { IdTokenGrant, idTokenGrant } from '../providers/external/id-token-grant.ts'
import { web3Grant } from '../providers/web3/grant.ts'

/** POST /token: a grant in, a session out. @see supabase/auth internal/api/token.go */
export async function token(deps: AuthDeps, call: Call): Promise<Response> {
  const grantType = call.query.get('grant_type')
  await deps.limits.takeRequest(grantType === 'web3' ? 'web3' : 'token', call.client.address)
  switch (grantType) {
    case 'password': {
      const grant = await readBody(call.request, PasswordGrant)
      await verifyCaptcha(deps, call, grant.gotrue_meta_security)
      return json(await passwordGrant(deps, call, grant))
    }
    case 'refresh_token':
      return json(await refreshGrant(deps, call, await readBody(call.request, RefreshGrant)))
    case 'pkce':
      return json(await pkceGrant(deps, call, await readBody(call.request, PkceGrant)))
    case 'id_token':
      return json(await idTokenGrant(deps, call, await readBody(call.request, IdTokenGrant)))
    case 'web3':
      return json(await web3Grant(deps, call))
    default:
      throw authError('grantUnsupported')
  }
}
