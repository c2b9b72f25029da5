import { z } from 'zod'
import { Refusal, refusal } from '../_shared/errors.ts'
import { type AskAuth, CONNECTIONS, type FetchMetadata, settleConnections } from '../_shared/sign-in/connections.ts'
import type { Domains } from '../_shared/sign-in/domains.ts'
import { entityOf, mayTake, rightTo } from './entity-claim.ts'
import type { Domain, OwnedDomain } from './owned-domain.ts'

/** The identity provider's metadata: at a URL, in a file, or shared with another domain of the library. */
export const Metadata = z.union([
  z.strictObject({ url: z.url({ protocol: /^https$/ }).max(2048) }),
  z.strictObject({ xml: z.string().min(1).max(500_000) }),
  z.strictObject({ same_as: z.guid() }),
])
export type Metadata = z.infer<typeof Metadata>

export type ConnectDeps = {
  readonly readDomain: (id: string) => Promise<Domain | null>
  readonly domains: Domains
  readonly ask: AskAuth
  readonly fetchMetadata: FetchMetadata
}

/** The auth service doesn't map names by default. Common identity providers use these attributes. */
const ATTRIBUTES = {
  keys: {
    name: {
      names: [
        'displayName',
        'name',
        'http://schemas.microsoft.com/identity/claims/displayname',
        'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/name',
        'urn:oid:2.16.840.1.113730.3.1.241',
        'cn',
        'urn:oid:2.5.4.3',
      ],
    },
  },
}

/** Connects a verified domain with an identity provider, or updates its metadata.
 *  @throws {Refusal} with the auth service's objection, in words for an owner. */
export async function connect(owned: OwnedDomain, metadata: Metadata, deps: ConnectDeps): Promise<void> {
  if (owned.verified_at === null) throw refusal('sign_in_domain_unverified')
  // A connection deleted a moment ago must not get in the way.
  await settleConnections(deps.domains, deps.ask)
  if ('same_as' in metadata) return await share(owned, metadata.same_as, deps)
  const url = 'url' in metadata ? metadata.url : null
  // Fetched here because the auth service would fetch any address, even inside its network.
  const xml = 'url' in metadata ? await deps.fetchMetadata(metadata.url) : metadata.xml
  const settings = { type: 'saml', metadata_xml: xml, attribute_mapping: ATTRIBUTES }
  if (owned.provider_id !== null) {
    const changed = await send(deps.ask, `${CONNECTIONS}/${owned.provider_id}`, 'PUT', settings)
    await note(owned, changed, url, deps.domains)
    return
  }
  const provider = await make(owned, url, { ...settings, domains: [owned.domain] }, deps)
  try {
    await note(owned, provider, url, deps.domains)
  } catch (error) {
    // Don't leave a working connection that no library knows about.
    await deps.ask(`${CONNECTIONS}/${provider.id}`, { method: 'DELETE' })
    throw error
  }
}

/** Creates the connection, even if a library with a weaker claim has it. */
async function make(
  { library_id }: OwnedDomain,
  url: string | null,
  settings: { readonly metadata_xml: string; readonly domains: readonly string[] },
  { domains, ask }: ConnectDeps,
): Promise<Connection> {
  try {
    return await send(ask, CONNECTIONS, 'POST', settings)
  } catch (error) {
    const entity = entityOf(settings.metadata_xml)
    if (!(error instanceof Refusal) || error.body.code !== 'saml_idp_already_exists' || !entity) throw error
    const right = rightTo(entity, await domains.verifiedBy(library_id), url)
    const holder = await domains.holderOf(entity)
    if (!holder || !mayTake(entity, library_id, right, holder)) throw error
    await domains.release(holder.provider_id)
    await settleConnections(domains, ask)
    return await send(ask, CONNECTIONS, 'POST', settings)
  }
}

async function share(owned: OwnedDomain, other: string, { readDomain, domains, ask }: ConnectDeps): Promise<void> {
  const model = await readDomain(other)
  if (model?.provider_id == null || model.library_id !== owned.library_id || owned.provider_id !== null)
    throw refusal('provider_not_shareable')
  const all = [...(await domains.connectedWith(model.provider_id)), owned.domain]
  const changed = await send(ask, `${CONNECTIONS}/${model.provider_id}`, 'PUT', { type: 'saml', domains: all })
  await note(owned, changed, model.metadata_url, domains)
}

const Connection = z.object({ id: z.guid(), saml: z.object({ entity_id: z.string() }) })
type Connection = z.infer<typeof Connection>

async function note(
  { id, owner }: OwnedDomain,
  connection: Connection,
  url: string | null,
  domains: Domains,
): Promise<void> {
  const entity = connection.saml.entity_id
  const isThere = await domains.connect({ claim: id, owner, provider: connection.id, entity, url })
  if (!isThere) throw refusal('sign_in_domain_removed')
}

async function send(ask: AskAuth, path: string, method: 'POST' | 'PUT', body: object): Promise<Connection> {
  const response = await ask(path, { method, body: JSON.stringify(body) })
  const answer: unknown = await response.json().catch(() => null)
  if (!response.ok) throw refusalOf(response.status, answer)
  return Connection.parse(answer)
}

const AuthError = z.object({ error_code: z.string().default(''), msg: z.string().default('') })

/** Auth service errors for which we have a code of the same name. */
const KNOWN = [
  'saml_entity_id_mismatch',
  'saml_idp_already_exists',
  'saml_provider_disabled',
  'sso_domain_already_exists',
  'sso_provider_not_found',
] as const

export function refusalOf(status: number, answer: unknown): Refusal {
  const { error_code: code, msg } = AuthError.catch({ error_code: '', msg: '' }).parse(answer)
  const known = KNOWN.find((one) => one === code)
  if (known) return refusal(known)
  if (code === 'conflict') return refusal('sso_provider_changed')
  if (code === 'validation_failed') return refusal('metadata_invalid', { reason: msg })
  // Hosted projects have SAML only on some plans, and older auth services not at all.
  if (status === 403 || status === 404) return refusal('saml_provider_disabled')
  throw new Error(`The auth service answered with the status ${status}: ${JSON.stringify(answer)}`)
}
