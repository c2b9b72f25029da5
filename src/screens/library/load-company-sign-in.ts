import type { QueryClient } from '@tanstack/react-query'
import { serviceProviderQuery, signInDomainsQuery } from '../../features/company-sign-in/queries.ts'
import { membersQuery } from '../../features/members/queries.ts'

/** Begins to fetch what the page of a library's sign-in by a company shows, and waits for who may see it. */
export async function loadCompanySignIn(queryClient: QueryClient, library: string): Promise<void> {
  void queryClient.prefetchQuery(signInDomainsQuery(library))
  void queryClient.prefetchQuery(serviceProviderQuery)
  await queryClient.query({ ...membersQuery(library), staleTime: 'static' })
}
