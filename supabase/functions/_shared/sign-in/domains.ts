import type { Client } from '../clients.ts'

type Connection = { claim: string; owner: string; provider: string; entity: string; url: string | null }

export type Domains = ReturnType<typeof openDomains>

/** Manages the domains and identity provider connections of company sign-in, with the project's rights. */
export function openDomains(service: Client) {
  const named = (rows: { domain: string }[]) => rows.map(({ domain }) => domain)
  return {
    /** @returns false if another library has already verified the domain. */
    verify: async (claim: string, owner: string): Promise<boolean> =>
      (await service.rpc('verify_sign_in_domain', { claim, owner }).throwOnError()).data,
    /** @returns false if the domain was deleted. */
    connect: async ({ url, ...connection }: Connection): Promise<boolean> => {
      const connected = { ...connection, metadata_address: url ?? undefined }
      return (await service.rpc('connect_sign_in_domain', connected).throwOnError()).data
    },
    verifiedBy: async (library: string): Promise<string[]> => {
      const verified = service.from('sign_in_domains').select('domain').not('verified_at', 'is', null)
      return named((await verified.eq('library_id', library).throwOnError()).data)
    },
    connectedWith: async (provider: string): Promise<string[]> =>
      named((await service.from('sign_in_domains').select('domain').eq('provider_id', provider).throwOnError()).data),
    /** Returns the library that uses a connection with an identity provider. */
    holderOf: async (entity: string): Promise<Holder | undefined> =>
      (await service.rpc('sign_in_connection_of', { entity }).throwOnError()).data[0],
    release: async (provider: string): Promise<void> => {
      await service.rpc('release_sign_in_connection', { provider }).throwOnError()
    },
    /** Connections that differ from the auth service's. */
    unsettled: async (): Promise<{ provider_id: string; since: string; domains: string[] }[]> =>
      (await service.rpc('pending_provider_changes').throwOnError()).data,
    settle: async (provider: string, since: string): Promise<void> => {
      await service.rpc('complete_provider_change', { provider, since }).throwOnError()
    },
    metadataAddresses: async (): Promise<Map<string, string>> => {
      const { data } = await service
        .from('sign_in_domains')
        .select('provider_id, metadata_url')
        .not('provider_id', 'is', null)
        .not('metadata_url', 'is', null)
        .throwOnError()
      return new Map(data.flatMap(({ provider_id: id, metadata_url: url }) => (id && url ? [[id, url]] : [])))
    },
  }
}

export type Holder = {
  readonly provider_id: string
  readonly library_id: string
  readonly domains: string[]
  readonly metadata_url: string | null
  readonly is_used: boolean
  readonly connected_at: string | null
}
