import { z } from 'zod'
import type { AuthDeps } from '../../deps.ts'
import { authError } from '../../errors.ts'
import type { Json } from '../../models/params.ts'
import type { CustomProvider } from './custom-providers.ts'
import { checkPublicUrl } from './safe-url.ts'

const texts = z.array(z.string()).optional()

/** The stored fields of OpenID Connect Discovery 1.0 §3. */
const Document = z.object({
  issuer: z.string().default(''),
  authorization_endpoint: z.string().default(''),
  token_endpoint: z.string().default(''),
  userinfo_endpoint: z.string().optional(),
  jwks_uri: z.string().default(''),
  scopes_supported: texts,
  response_types_supported: texts,
  grant_types_supported: texts,
  subject_types_supported: texts,
})
export type DiscoveryDocument = z.infer<typeof Document>

export const discoveryUrlOf = ({ issuer, discovery_url }: Pick<CustomProvider, 'issuer' | 'discovery_url'>): string =>
  discovery_url || `${(issuer ?? '').replace(/\/+$/, '')}/.well-known/openid-configuration`

/** Fetches an issuer's discovery document when a provider is set up, so that wrong settings are reported then.
 *  @throws `validation_failed` */
export async function discover(deps: Pick<AuthDeps, 'fetch' | 'lookup'>, url: string, issuer: string) {
  const failed = (why: string, cause?: unknown) =>
    authError('customProviderInvalid', [`OIDC discovery from "${url}" failed: oidc: ${why}`], { cause })
  await checkPublicUrl(deps, url)
  const document = Document.safeParse(
    await read(deps.fetch, url).catch((cause: unknown) => {
      throw failed(`discovery request to ${url} failed`, cause)
    }),
  )
  if (!document.success) throw failed(`failed to decode discovery document from ${url}`, document.error)
  const { data } = document
  if (data.issuer !== issuer) throw failed(`issuer mismatch, expected "${issuer}" got "${data.issuer}"`)
  const required = ['issuer', 'authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const
  const missing = required.filter((name) => data[name] === '')
  if (missing.length > 0) {
    throw authError('customProviderInvalid', [
      `OIDC discovery document is missing required fields: ${missing.join(', ')}`,
    ])
  }
  return data
}

async function read(fetch: typeof globalThis.fetch, url: string): Promise<unknown> {
  // A redirect could lead to an address that the check above would refuse.
  const response = await fetch(url, { signal: AbortSignal.timeout(10_000), redirect: 'error' })
  if (response.status !== 200) throw new Error(`answered ${response.status}`)
  return response.json()
}

/** Returns the stored discovery document, refreshed if outdated. */
export async function discoveryOf(
  deps: Pick<AuthDeps, 'fetch' | 'lookup'>,
  provider: CustomProvider,
): Promise<DiscoveryDocument> {
  const cached = Document.safeParse(provider.cached_discovery)
  const isUsable = cached.success && cached.data.token_endpoint !== ''
  return isUsable ? cached.data : discover(deps, discoveryUrlOf(provider), provider.issuer ?? '')
}

export const documentAsJson = (document: DiscoveryDocument): Json => ({ ...document })
