import type { AuthDeps } from '../deps.ts'
import { authError } from '../errors.ts'
import type { Call } from '../http/call.ts'
import { isUuid } from '../models/params.ts'
import { type AuthMethod, clientSecretMatches, findClient, type OAuthClient } from './clients.ts'

type Credentials = { readonly id: string; readonly secret: string; readonly method: AuthMethod }

/** Authenticates the client that calls the token endpoint, by the only method that it registered.
 *  @throws `invalid_credentials`
 *  @see supabase/auth internal/api/middleware.go, requireOAuthClientAuth */
export async function requireClient(
  { db }: AuthDeps,
  { request }: Call,
  params: ReadonlyMap<string, string>,
): Promise<OAuthClient> {
  const { id, secret, method } = readCredentials(request.headers.get('authorization') ?? '', params)
  if (!isUuid(id)) throw authError('oauthCredentialsInvalid', ['Invalid client_id format'])
  const client = await findClient(db, id)
  if (!client) throw authError('oauthCredentialsInvalid', ['Invalid client credentials'])
  const fault = authenticationFault(client, secret, method)
  if (fault) throw authError('oauthCredentialsInvalid', [fault])
  return client
}

function readCredentials(header: string, params: ReadonlyMap<string, string>): Credentials {
  const invalid = (why: string) => authError('oauthCredentialsInvalid', [`Invalid client credentials: ${why}`])
  const basic = /^Basic (.*)$/s.exec(header)?.[1]
  if (basic !== undefined) {
    if (!/^[A-Za-z0-9+/]*={0,2}$/.test(basic)) throw invalid('invalid basic auth encoding')
    const [, id, secret] = /^([^:]*):(.*)$/s.exec(Buffer.from(basic, 'base64').toString('utf8')) ?? []
    if (id === undefined || secret === undefined) throw invalid('invalid basic auth format')
    return { id: formDecoded(id), secret: formDecoded(secret), method: 'client_secret_basic' }
  }
  const id = params.get('client_id') ?? ''
  const secret = params.get('client_secret') ?? ''
  if (id === '') throw invalid('client_id is required')
  return { id, secret, method: secret === '' ? 'none' : 'client_secret_post' }
}

/** Clients encode both values as in a form (RFC 6749 §2.3.1). Upstream does not decode them and refuses such
 *  clients. */
const formDecoded = (value: string): string =>
  new URLSearchParams(`value=${value.replaceAll('&', '%26')}`).get('value') ?? ''

function authenticationFault(client: OAuthClient, secret: string, method: AuthMethod): string | null {
  const registered = client.token_endpoint_auth_method
  if (method !== registered) {
    return `invalid authentication method: client is registered for '${registered}' but '${method}' was used`
  }
  if (client.client_type === 'public') return secret === '' ? null : 'public clients must not provide client_secret'
  if (secret === '') return 'confidential clients must provide client_secret'
  return clientSecretMatches(secret, client.client_secret_hash ?? '') ? null : 'invalid client credentials'
}
