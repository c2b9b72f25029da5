import type { Domains } from './domains.ts'
import type { FetchMetadata } from './metadata.ts'

/** Asks the auth service's administration. @param path Below `/auth/v1/admin`. */
export type AskAuth = (path: string, init: RequestInit) => Promise<Response>

export const CONNECTIONS = '/sso/providers'

/** Brings the auth service's connections into line with the domains that libraries have: one without a domain is deleted. What fails
 *  is logged, and done the next time. */
export async function settleConnections(
  connections: Pick<Domains, 'unsettled' | 'settle'>,
  ask: AskAuth,
): Promise<void> {
  for (const { provider_id, since, domains } of await connections.unsettled()) {
    const path = `${CONNECTIONS}/${provider_id}`
    const init =
      domains.length === 0 ? { method: 'DELETE' } : { method: 'PUT', body: JSON.stringify({ type: 'saml', domains }) }
    try {
      const response = await ask(path, init)
      // Somebody else may have deleted it: then there is nothing to do.
      if (!response.ok && response.status !== 404) throw new Error(`${response.status} ${await response.text()}`)
      await response.body?.cancel()
      await connections.settle(provider_id, since)
    } catch (error) {
      console.warn(`connection ${provider_id}:`, error)
    }
  }
}

/** Gives the auth service the metadata of now, where it has an address: identity providers announce new certificates there. What fails is
 *  logged, and done the next time. */
export async function refreshConnections(
  addresses: ReadonlyMap<string, string>,
  ask: AskAuth,
  fetchMetadata: FetchMetadata,
): Promise<void> {
  for (const [provider, address] of addresses) {
    try {
      const body = JSON.stringify({ type: 'saml', metadata_xml: await fetchMetadata(address) })
      const response = await ask(`${CONNECTIONS}/${provider}`, { method: 'PUT', body })
      if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
      await response.body?.cancel()
    } catch (error) {
      console.warn(`metadata of connection ${provider}:`, error)
    }
  }
}
