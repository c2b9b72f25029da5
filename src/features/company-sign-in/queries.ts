import { queryOptions } from '@tanstack/react-query'
import { keys } from '../../domain/keys.ts'
import { type DataOf, databaseQuery } from '../../lib/backend/database-query.ts'
import { env } from '../../lib/backend/env.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import { parseServiceProvider } from './service-provider.ts'

/** A library's sign-in domains; empty for non-owners. */
export const signInDomainsQuery = (library: string) =>
  databaseQuery(keys.signInDomains(library), () =>
    supabase
      .from('sign_in_domains')
      .select(
        'id, domain, company, token, verified_at, provider_id, entity_id, metadata_url, new_member_role, is_required',
      )
      .eq('library_id', library)
      .order('created_at')
      .order('id'),
  )
export type SignInDomain = DataOf<typeof signInDomainsQuery>[number]

/** The service provider data from the auth service; null if SAML isn't available. */
export const serviceProviderQuery = queryOptions({
  queryKey: ['sign-in-methods', 'service-provider'],
  staleTime: 10 * 60_000,
  queryFn: async ({ signal }) => {
    const url = `${env.supabaseUrl}/auth/v1/sso/saml/metadata`
    const response = await fetch(url, { headers: { apikey: env.publishableKey }, signal })
    if (response.status === 404) return null
    if (!response.ok) throw Object.assign(new Error(response.statusText), { status: response.status })
    return { ...parseServiceProvider(await response.text()), metadataUrl: url }
  },
})
export type ServiceProvider = NonNullable<DataOf<typeof serviceProviderQuery>>
