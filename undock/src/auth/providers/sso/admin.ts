import { DatabaseError } from 'pg'
import { z } from 'zod'
import { ServiceError } from '../../../kernel/service-error.ts'
import type { AuthDeps } from '../../deps.ts'
import { authError } from '../../errors.ts'
import { type Call, json } from '../../http/call.ts'
import { isUuid, text } from '../../models/params.ts'
import { type IdpMetadata, parseMetadata } from './metadata.ts'
import {
  deleteSsoProvider,
  findByDomain,
  findByEntityId,
  findByResourceId,
  findSsoProvider,
  insertSsoProvider,
  listSsoProviders,
  presentSsoProvider,
  replaceDomains,
  type SsoProvider,
  type SsoSettings,
  updateSsoProvider,
} from './sso-providers.ts'

/** Milliseconds for all requests together, and redirects followed, as in upstream's client. */
const TIMEOUT = 10_000
const MAX_REDIRECTS = 10

/** Fetches an identity provider's metadata over HTTPS, also after redirects, so that internal HTTP services are safe.
 *  @throws `saml_metadata_fetch_failed` */
async function fetchMetadata(fetch: typeof globalThis.fetch, url: string): Promise<string> {
  const failed = (why: string, cause?: unknown) => authError('samlMetadataFetch', [why, url], { cause })
  const signal = AbortSignal.timeout(TIMEOUT)
  let at = url
  try {
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      const headers = { accept: 'application/xml;charset=UTF-8' }
      const response = await fetch(at, { headers, signal, redirect: 'manual' })
      if (response.status === 200) return await response.text()
      await response.body?.cancel()
      const next = response.status >= 300 && response.status < 400 ? response.headers.get('location') : null
      if (next === null) throw failed(`HTTP ${response.status} error`)
      at = new URL(next, at).href
      if (!at.startsWith('https:')) throw failed('Error (a redirect to an address without HTTPS)')
    }
  } catch (error) {
    throw error instanceof ServiceError ? error : failed('Network error', error)
  }
  throw failed(`Error (more than ${MAX_REDIRECTS} redirects)`)
}

/** Maps an assertion's attributes to claims. */
export const AttributeMapping = z.object({
  keys: z
    .record(
      z.string(),
      z.object({
        name: z.string().optional(),
        names: z.array(z.string()).optional(),
        default: z.unknown().optional(),
        array: z.boolean().optional(),
      }),
    )
    .optional(),
})
export type AttributeMapping = z.infer<typeof AttributeMapping>

export const SsoProviderBody = z.object({
  type: text,
  metadata_url: text,
  metadata_xml: text,
  domains: z.array(z.string().min(1)).nullish(),
  attribute_mapping: AttributeMapping.nullish(),
  name_id_format: text,
  resource_id: z.string().nullish(),
  disabled: z.boolean().nullish(),
})
export type SsoProviderBody = z.infer<typeof SsoProviderBody>

const FORMATS = [
  'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
  'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
  'urn:oasis:names:tc:SAML:2.0:nameid-format:transient',
  'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified',
]

const refused = (why: string) => authError('ssoParamsInvalid', [why])

function checkBody(body: SsoProviderBody, { isNew }: { readonly isNew: boolean }): void {
  const { metadata_url: url, metadata_xml: xml, name_id_format: format } = body
  if (isNew && body.type !== 'saml') throw refused("Only 'saml' supported for SSO provider type")
  if (url !== '' && xml !== '') throw refused('Only one of metadata_xml or metadata_url needs to be set')
  if (isNew && url === '' && xml === '') throw refused('Either metadata_xml or metadata_url must be set')
  if (url !== '' && !URL.canParse(url)) throw refused('metadata_url is not a valid URL')
  if (url !== '' && new URL(url).protocol !== 'https:') throw refused('metadata_url is not a HTTPS URL')
  if (format !== '' && !FORMATS.includes(format)) {
    throw refused(`name_id_format must be unspecified or one of ${FORMATS.join(', ')}`)
  }
}

/** GET /admin/sso/providers?resource_id&resource_id_prefix, without metadata.
 *  @see supabase/auth internal/api/ssoadmin.go */
export async function listProviders({ db }: AuthDeps, { query }: Call): Promise<Response> {
  const filter = { resourceId: query.get('resource_id') ?? '', prefix: query.get('resource_id_prefix') ?? '' }
  const providers = await listSsoProviders(db, filter)
  return json({ items: providers.map((provider) => presentSsoProvider(provider, { withMetadata: false })) })
}

const RESOURCE = 'resource_'

/** Finds a provider by its id, or by `resource_` and its resource id. */
async function providerOfPath({ db }: AuthDeps, { params }: Call): Promise<SsoProvider> {
  const id = params.idp_id ?? ''
  const provider = id.startsWith(RESOURCE)
    ? await findByResourceId(db, id.slice(RESOURCE.length))
    : isUuid(id)
      ? await findSsoProvider(db, id)
      : null
  if (!provider) throw authError('ssoProviderUnknown')
  return provider
}

async function readMetadata({ fetch }: AuthDeps, { metadata_url: url, metadata_xml }: SsoProviderBody) {
  const xml = metadata_xml || (await fetchMetadata(fetch, url))
  const metadata = parseMetadata(xml)
  if (typeof metadata === 'string') throw refused(metadata)
  return { xml, metadata }
}

/** POST /admin/sso/providers */
export async function createProvider(deps: AuthDeps, call: Call, body: SsoProviderBody): Promise<Response> {
  const { db } = deps
  checkBody(body, { isNew: true })
  const { xml, metadata } = await readMetadata(deps, body)
  if (await findByEntityId(db, metadata.entityId)) throw authError('samlIdpExists', [metadata.entityId])
  const domains = body.domains ?? []
  await checkDomains(deps, domains, null)
  const settings: SsoSettings = {
    resource_id: body.resource_id || null,
    disabled: body.disabled ?? null,
    entity_id: metadata.entityId,
    metadata_xml: xml,
    metadata_url: body.metadata_url || null,
    attribute_mapping: body.attribute_mapping ?? {},
    name_id_format: body.name_id_format || null,
  }
  const id = await stored(() => db.transaction((tx) => insertSsoProvider(tx, settings, domains, call.now)))
  return json(presentSsoProvider((await findSsoProvider(db, id)) as SsoProvider), 201)
}

async function checkDomains({ db }: AuthDeps, domains: readonly string[], ownId: string | null): Promise<void> {
  for (const domain of domains) {
    const owner = await findByDomain(db, domain)
    if (owner && owner.id !== ownId) throw authError('ssoDomainTaken', [domain, owner.id])
  }
}

async function stored<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    if (error instanceof DatabaseError && error.code === '23505') throw authError('ssoConflict', [], { cause: error })
    throw error
  }
}

/** GET /admin/sso/providers/{idp_id} */
export async function getProvider(deps: AuthDeps, call: Call): Promise<Response> {
  return json(presentSsoProvider(await providerOfPath(deps, call)))
}

/** PUT /admin/sso/providers/{idp_id}: as upstream, missing fields are unchanged, except the name format. */
export async function updateProvider(deps: AuthDeps, call: Call, body: SsoProviderBody): Promise<Response> {
  const provider = await providerOfPath(deps, call)
  checkBody(body, { isNew: false })
  const changed = body.metadata_url !== '' || body.metadata_xml !== '' ? await readMetadata(deps, body) : null
  if (changed) checkSameEntity(provider, changed.metadata)
  if (body.domains) await checkDomains(deps, body.domains, provider.id)
  const settings: SsoSettings = {
    entity_id: provider.entity_id,
    resource_id: typeof body.resource_id === 'string' ? body.resource_id || null : provider.resource_id,
    disabled: body.disabled ?? provider.disabled,
    metadata_xml: changed?.xml ?? provider.metadata_xml,
    metadata_url: body.metadata_url || provider.metadata_url,
    attribute_mapping: body.attribute_mapping?.keys ? body.attribute_mapping : provider.attribute_mapping,
    name_id_format: body.name_id_format || null,
  }
  await stored(() =>
    deps.db.transaction(async (tx) => {
      await updateSsoProvider(tx, provider.id, settings, call.now)
      if (body.domains) await replaceDomains(tx, provider.id, body.domains, call.now)
    }),
  )
  return json(presentSsoProvider((await findSsoProvider(deps.db, provider.id)) ?? provider))
}

function checkSameEntity({ entity_id: expected }: SsoProvider, { entityId }: IdpMetadata): void {
  if (entityId !== expected) throw authError('samlEntityMismatch', [expected, entityId])
}

/** DELETE /admin/sso/providers/{idp_id} */
export async function deleteProvider(deps: AuthDeps, call: Call): Promise<Response> {
  const provider = await providerOfPath(deps, call)
  await deleteSsoProvider(deps.db, provider.id)
  return json(presentSsoProvider(provider))
}
