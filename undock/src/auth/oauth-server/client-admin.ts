import type { AuthDeps } from '../deps.ts'
import { authError } from '../errors.ts'
import { type Call, json } from '../http/call.ts'
import { isUuid } from '../models/params.ts'
import {
  type RegisterClient,
  registrationFault,
  typeOfMethod,
  type UpdateClient,
  updateFault,
} from './client-params.ts'
import {
  type AuthMethod,
  type ClientType,
  findClient,
  hashClientSecret,
  insertClient,
  listClients,
  type NewClient,
  newClientSecret,
  type OAuthClient,
  presentClient,
  updateClient,
} from './clients.ts'

/** GET /admin/oauth/clients @see supabase/auth internal/api/oauthserver/handlers.go */
export async function listOAuthClients({ db }: AuthDeps, _call: Call): Promise<Response> {
  return json({ clients: (await listClients(db)).map((client) => presentClient(client)) })
}

/** POST /admin/oauth/clients */
export function createOAuthClient(deps: AuthDeps, call: Call, body: RegisterClient): Promise<Response> {
  return register(deps, call, body, 'manual')
}

/** POST /oauth/clients/register: dynamic client registration (RFC 7591), if the project allows it. */
export async function registerOAuthClient(deps: AuthDeps, call: Call, body: RegisterClient): Promise<Response> {
  if (!deps.config.oauth_server.allow_dynamic_registration) throw authError('oauthRegistrationDisabled')
  return register(deps, call, body, 'dynamic')
}

async function register(
  { db }: AuthDeps,
  { now }: Call,
  body: RegisterClient,
  kind: OAuthClient['registration_type'],
): Promise<Response> {
  const fault = registrationFault(body)
  if (fault) throw authError('oauthClientInvalid', [`400: ${fault}`])
  const type = (body.client_type || typeOfMethod(body.token_endpoint_auth_method)) as ClientType
  const method = body.token_endpoint_auth_method || (type === 'public' ? 'none' : 'client_secret_basic')
  const secret = type === 'confidential' ? newClientSecret() : null
  const grants = body.grant_types?.length ? body.grant_types : ['authorization_code', 'refresh_token']
  const client: NewClient = {
    client_secret_hash: secret && hashClientSecret(secret),
    registration_type: kind,
    redirect_uris: (body.redirect_uris ?? []).join(','),
    grant_types: grants.join(','),
    client_name: body.client_name || null,
    client_uri: body.client_uri || null,
    logo_uri: body.logo_uri || null,
    client_type: type,
    token_endpoint_auth_method: method as AuthMethod,
  }
  return json(presentClient(await insertClient(db, client, now), secret), 201)
}

async function clientOfPath({ db }: AuthDeps, { params }: Call): Promise<OAuthClient> {
  const id = params.client_id ?? ''
  if (!isUuid(id)) throw authError('oauthClientIdInvalid')
  const client = await findClient(db, id)
  if (!client) throw authError('oauthClientUnknown')
  return client
}

/** GET /admin/oauth/clients/{client_id} */
export async function getOAuthClient(deps: AuthDeps, call: Call): Promise<Response> {
  return json(presentClient(await clientOfPath(deps, call)))
}

/** PUT /admin/oauth/clients/{client_id} */
export async function updateOAuthClient(deps: AuthDeps, call: Call, body: UpdateClient): Promise<Response> {
  const client = await clientOfPath(deps, call)
  const { redirect_uris, grant_types, ...plain } = body
  const fields = Object.fromEntries(
    Object.entries({ ...plain, redirect_uris: redirect_uris?.join(','), grant_types: grant_types?.join(',') }).filter(
      ([, value]) => value !== null && value !== undefined,
    ),
  )
  if (Object.keys(fields).length === 0) throw authError('oauthClientUnchanged')
  const fault = updateFault(body, client.client_type)
  if (fault) throw authError('oauthClientInvalid', [fault])
  await updateClient(deps.db, client.id, fields, call.now)
  return json(presentClient(await clientOfPath(deps, call)))
}

/** DELETE /admin/oauth/clients/{client_id} */
export async function deleteOAuthClient(deps: AuthDeps, call: Call): Promise<Response> {
  const { id } = await clientOfPath(deps, call)
  await updateClient(deps.db, id, { deleted_at: call.now }, call.now)
  return new Response(null, { status: 204 })
}

/** POST /admin/oauth/clients/{client_id}/regenerate_secret */
export async function regenerateSecret(deps: AuthDeps, call: Call): Promise<Response> {
  const client = await clientOfPath(deps, call)
  if (client.client_type !== 'confidential') throw authError('oauthClientPublic')
  const secret = newClientSecret()
  await updateClient(deps.db, client.id, { client_secret_hash: hashClientSecret(secret) }, call.now)
  return json(presentClient({ ...client, updated_at: call.now }, secret))
}
