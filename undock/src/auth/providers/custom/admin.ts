import { randomUUID } from 'node:crypto'
import type { AuthDeps } from '../../deps.ts'
import { authError } from '../../errors.ts'
import { type Call, json } from '../../http/call.ts'
import {
  type CustomProvider,
  deleteCustomProvider,
  findCustomProvider,
  insertCustomProvider,
  listCustomProviders,
  type ProviderType,
  presentCustomProvider,
  updateCustomProvider,
} from './custom-providers.ts'
import { discover, discoveryUrlOf, documentAsJson } from './discovery.ts'
import {
  type CustomProviderBody,
  contentFault,
  creationFault,
  identifierFault,
  settingsOf,
  shapeFault,
  urlsOf,
} from './params.ts'
import { checkPublicUrl } from './safe-url.ts'

const refused = (why: string) => authError('customProviderInvalid', [why])

/** GET /admin/custom-providers?type @see supabase/auth internal/api/custom_oauth_admin.go */
export async function listProviders({ db }: AuthDeps, { query }: Call): Promise<Response> {
  const type = query.get('type') || null
  if (type !== null && type !== 'oauth2' && type !== 'oidc') throw refused("type must be either 'oauth2' or 'oidc'")
  return json({ providers: (await listCustomProviders(db, type)).map(presentCustomProvider) })
}

/** POST /admin/custom-providers */
export async function createProvider(deps: AuthDeps, call: Call, body: CustomProviderBody): Promise<Response> {
  const fault = creationFault(body)
  if (fault) throw refused(fault)
  const type = body.provider_type as ProviderType
  for (const url of urlsOf(type, body)) await checkPublicUrl(deps, url)
  if (await findCustomProvider(deps.db, body.identifier)) throw authError('customProviderTaken')
  const provider: CustomProvider = {
    id: randomUUID(),
    provider_type: type,
    identifier: body.identifier,
    ...settingsOf(type, body),
    cached_discovery: null,
    discovery_cached_at: null,
    created_at: call.now,
    updated_at: call.now,
  }
  const ready = type === 'oidc' ? await withDiscovery(deps, call, provider) : provider
  await insertCustomProvider(deps.db, ready)
  return json(presentCustomProvider(ready), 201)
}

async function withDiscovery(deps: AuthDeps, { now }: Call, provider: CustomProvider): Promise<CustomProvider> {
  const document = await discover(deps, discoveryUrlOf(provider), provider.issuer ?? '')
  return { ...provider, cached_discovery: documentAsJson(document), discovery_cached_at: now }
}

async function providerOfPath({ db }: AuthDeps, { params }: Call): Promise<CustomProvider> {
  // A colon in a path may be percent-encoded.
  const identifier = decoded(params.identifier ?? '')
  const fault = identifierFault(identifier)
  if (fault) throw refused(fault)
  const provider = await findCustomProvider(db, identifier)
  if (!provider) throw authError('customProviderUnknown')
  return provider
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/** GET /admin/custom-providers/{identifier} */
export async function getProvider(deps: AuthDeps, call: Call): Promise<Response> {
  return json(presentCustomProvider(await providerOfPath(deps, call)))
}

/** PUT /admin/custom-providers/{identifier} */
export async function updateProvider(deps: AuthDeps, call: Call, body: CustomProviderBody): Promise<Response> {
  const before = await providerOfPath(deps, call)
  const fault = contentFault(body) ?? shapeFault({ ...body, identifier: '' })
  if (fault) throw refused(fault)
  const type = before.provider_type
  for (const url of urlsOf(type, body)) await checkPublicUrl(deps, url)
  const changed = { ...before, ...settingsOf(type, body, before), updated_at: call.now }
  const moved = type === 'oidc' && (body.issuer !== '' || body.discovery_url !== '')
  const ready = moved ? await withDiscovery(deps, call, changed) : changed
  await updateCustomProvider(deps.db, ready)
  return json(presentCustomProvider(ready))
}

/** DELETE /admin/custom-providers/{identifier} */
export async function deleteProvider(deps: AuthDeps, call: Call): Promise<Response> {
  await deleteCustomProvider(deps.db, (await providerOfPath(deps, call)).id)
  return new Response(null, { status: 204 })
}
