import { randomUUID } from 'node:crypto'
import { execute, queryRows } from '../../../database/db.ts'
import { type Sql, sql } from '../../../kernel/sql.ts'
import type { Queryable } from '../../models/auth-db.ts'
import type { Json } from '../../models/params.ts'

type Domain = { readonly domain: string; readonly created_at: string; readonly updated_at: string }

/** A company's identity provider: rows of auth.sso_providers, saml_providers and sso_domains. */
export type SsoProvider = {
  readonly id: string
  readonly resource_id: string | null
  readonly disabled: boolean | null
  readonly created_at: Date
  readonly updated_at: Date
  readonly entity_id: string
  readonly metadata_xml: string
  readonly metadata_url: string | null
  readonly attribute_mapping: Json
  readonly name_id_format: string | null
  readonly domains: readonly Domain[]
}

const select = (where: Sql) => sql`
  select p.id, p.resource_id, p.disabled, p.created_at, p.updated_at, s.entity_id, s.metadata_xml, s.metadata_url,
    coalesce(s.attribute_mapping, '{}') as attribute_mapping, s.name_id_format,
    (select coalesce(jsonb_agg(jsonb_build_object('domain', d.domain, 'created_at', d.created_at,
        'updated_at', d.updated_at) order by d.created_at, d.domain), '[]')
      from auth.sso_domains d where d.sso_provider_id = p.id) as domains
  from auth.sso_providers p join auth.saml_providers s on s.sso_provider_id = p.id where ${where}`

async function find(db: Queryable, where: Sql): Promise<SsoProvider | null> {
  const { rows } = await db.query<SsoProvider>(select(where))
  return rows[0] ?? null
}

export const findSsoProvider = (db: Queryable, id: string) => find(db, sql`p.id = ${id}`)

export const findByResourceId = (db: Queryable, id: string) => find(db, sql`lower(p.resource_id) = ${id.toLowerCase()}`)

export const findByEntityId = (db: Queryable, id: string) => find(db, sql`s.entity_id = ${id}`)

export const findByDomain = (db: Queryable, domain: string) =>
  find(
    db,
    sql`p.id = (select d.sso_provider_id from auth.sso_domains d where lower(d.domain) = ${domain.toLowerCase()})`,
  )

export type Filter = { readonly resourceId: string; readonly prefix: string }

export async function listSsoProviders(db: Queryable, { resourceId, prefix }: Filter): Promise<SsoProvider[]> {
  const where = resourceId
    ? sql`p.resource_id = ${resourceId}`
    : prefix
      ? sql`starts_with(p.resource_id, ${prefix})`
      : sql`true`
  return queryRows<SsoProvider>(db)`${select(where)} order by p.created_at, p.id`
}

export type SsoSettings = Pick<
  SsoProvider,
  'resource_id' | 'disabled' | 'entity_id' | 'metadata_xml' | 'metadata_url' | 'attribute_mapping' | 'name_id_format'
>

export async function insertSsoProvider(
  tx: Queryable,
  settings: SsoSettings,
  domains: readonly string[],
  now: Date,
): Promise<string> {
  const id = randomUUID()
  await execute(tx)`insert into auth.sso_providers (id, resource_id, disabled, created_at, updated_at)
    values (${id}, ${settings.resource_id}, ${settings.disabled}, ${now}, ${now})`
  await execute(tx)`insert into auth.saml_providers
    (id, sso_provider_id, entity_id, metadata_xml, metadata_url, attribute_mapping, name_id_format, created_at, updated_at)
    values (${randomUUID()}, ${id}, ${settings.entity_id}, ${settings.metadata_xml}, ${settings.metadata_url},
      ${settings.attribute_mapping}, ${settings.name_id_format}, ${now}, ${now})`
  await insertDomains(tx, id, domains, now)
  return id
}

export async function updateSsoProvider(tx: Queryable, id: string, settings: SsoSettings, now: Date): Promise<void> {
  await execute(tx)`update auth.sso_providers
    set resource_id = ${settings.resource_id}, disabled = ${settings.disabled},
    updated_at = ${now} where id = ${id}`
  await execute(tx)`update auth.saml_providers set metadata_xml = ${settings.metadata_xml},
    metadata_url = ${settings.metadata_url}, attribute_mapping = ${settings.attribute_mapping},
    name_id_format = ${settings.name_id_format}, updated_at = ${now} where sso_provider_id = ${id}`
}

/** Replaces a provider's domains, keeping rows of unchanged ones. */
export async function replaceDomains(tx: Queryable, id: string, domains: readonly string[], now: Date): Promise<void> {
  const names = domains.map((domain) => domain.toLowerCase())
  const rows = await queryRows<{ domain: string }>(tx)`with gone as (
      delete from auth.sso_domains where sso_provider_id = ${id} and lower(domain) <> all(${names}::text[])
    ) select lower(domain) as domain from auth.sso_domains where sso_provider_id = ${id}`
  const known = new Set(rows.map(({ domain }) => domain))
  await insertDomains(
    tx,
    id,
    domains.filter((domain) => !known.has(domain.toLowerCase())),
    now,
  )
}

async function insertDomains(tx: Queryable, id: string, domains: readonly string[], now: Date): Promise<void> {
  for (const domain of domains) {
    await execute(tx)`insert into auth.sso_domains (id, sso_provider_id, domain, created_at, updated_at)
      values (${randomUUID()}, ${id}, ${domain}, ${now}, ${now})`
  }
}

export async function deleteSsoProvider(tx: Queryable, id: string): Promise<void> {
  await execute(tx)`delete from auth.sso_providers where id = ${id}`
}

export function presentSsoProvider(
  provider: SsoProvider,
  { withMetadata = true }: { readonly withMetadata?: boolean } = {},
) {
  const { id, resource_id, disabled, domains, created_at, updated_at } = provider
  const { entity_id, metadata_xml, metadata_url, attribute_mapping, name_id_format } = provider
  return {
    id,
    ...(resource_id === null ? {} : { resource_id }),
    disabled,
    saml: {
      entity_id,
      ...(withMetadata ? { metadata_xml } : {}),
      ...(metadata_url === null ? {} : { metadata_url }),
      attribute_mapping,
      ...(name_id_format === null ? {} : { name_id_format }),
    },
    domains: domains.map((one) => ({
      domain: one.domain,
      created_at: new Date(one.created_at),
      updated_at: new Date(one.updated_at),
    })),
    created_at,
    updated_at,
  }
}
