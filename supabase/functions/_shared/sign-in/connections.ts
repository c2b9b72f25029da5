import type { Domains } from './domains.ts'
import type { FetchMetadata } from './metadata.ts'

/** Calls the auth service's admin API. @param path Below `/auth/v1/admin`. */
export type AskAuth = (path: string, init: RequestInit) => Promise<Response>

export const CONNECTIONS = '/sso/providers'

/** Syncs the auth service's connections with the libraries' domains, and deletes those without a domain. Failures are
 *  logged and retried on the next run. */
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
      if (!response.ok && response.status !== 404) throw new Error(`${response.status} ${await response.text()}`)
      await response.body?.cancel()
      await connections.settle(provider_id, since)
    } catch (error) {
      console.warn(`connection ${provider_id}:`, error)
    }
  }
}

/** Sends the auth service current metadata, in which identity providers announce new certificates. Failures are logged
 *  and retried on the next run. */
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
