import type { QueryClient } from '@tanstack/react-query'
import { serviceProviderQuery, signInDomainsQuery } from '../../features/company-sign-in/queries.ts'
import { membersQuery } from '../../features/members/queries.ts'

/** Starts loading a library's company sign-in page, and waits for the access check. */
export async function loadCompanySignIn(queryClient: QueryClient, library: string): Promise<void> {
  void queryClient.prefetchQuery(signInDomainsQuery(library))
  void queryClient.prefetchQuery(serviceProviderQuery)
  await queryClient.query({ ...membersQuery(library), staleTime: 'static' })
}
