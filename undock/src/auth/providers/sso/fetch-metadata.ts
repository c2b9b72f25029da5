import { ServiceError } from '../../../kernel/service-error.ts'
import { authError } from '../../errors.ts'

/** Milliseconds for all requests together, and how many redirects are followed, as by upstream's client. */
const PATIENCE = 10_000
const MAX_REDIRECTS = 10

/** Fetches an identity provider's metadata from an address with HTTPS. Redirects lead only to such addresses, too: from
 *  the network's own services, which speak HTTP, nothing is fetched.
 *  @throws `saml_metadata_fetch_failed` */
export async function fetchMetadata(fetch: typeof globalThis.fetch, url: string): Promise<string> {
  const failed = (why: string, cause?: unknown) => authError('samlMetadataFetch', [why, url], { cause })
  const signal = AbortSignal.timeout(PATIENCE)
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
