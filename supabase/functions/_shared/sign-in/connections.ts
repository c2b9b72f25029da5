import { refusal, Unreadable } from '../errors.ts'
import { fetchMetadata } from '../web/fetch-page.ts'
import { hostDeps } from '../web/public-host.ts'
import type { Domains } from './domains.ts'

/** Fetches an identity provider's metadata. @throws {Refusal} with a message for an owner. */
export type FetchMetadata = (address: string) => Promise<string>

/** Fetches from the public internet and from the hosts in the secret `METADATA_ALLOWED_HOSTS`. */
export const metadataFetch = (): FetchMetadata => async (address) => {
  const deps = { ...hostDeps(Deno.env.get('METADATA_ALLOWED_HOSTS')), timeout: 10_000, mostBytes: 2 ** 20 }
  try {
    return new TextDecoder().decode((await fetchMetadata(address, deps)).bytes)
  } catch (error) {
    if (error instanceof Unreadable) throw refusal('metadata_unreachable')
    throw error
  }
}

/** Calls the auth service's admin API. @param path Below `/auth/v1/admin`. */
export type AskAuth = (path: string, init: RequestInit) => Promise<Response>

export const CONNECTIONS = '/sso/providers'

/** Syncs the auth service's connections with the libraries' domains. Failures are retried on the next run. */
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

/** Sends the auth service current metadata, which has new certificates. Failures are retried on the next run. */
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
