import { onlineManager, QueryCache, QueryClient } from '@tanstack/react-query'
import { describeFailure, isRefused, isTimeout } from './domain/failure.ts'
import { createMutationCache } from './lib/mutations.ts'

/** Two retries within two seconds: after that, a person should hear of the failure. */
const RETRIES = 2
const FIRST_WAIT_MS = 500

/** Answers are fresh for half a minute, and stay readable without network (lib/offline/query-persistence.ts). Mutations
 *  invalidate what they say they change (lib/mutations.ts). */
export function createQueryClient(): QueryClient {
  const queryClient: QueryClient = new QueryClient({
    mutationCache: createMutationCache(() => queryClient),
    queryCache: new QueryCache({
      onError: (error, { queryKey, state }) => {
        // An earlier answer stays on screen through any failure, unless the backend now refuses it.
        if (state.data !== undefined && isRefused(error)) void queryClient.resetQueries({ queryKey, exact: true })
      },
    }),
    defaultOptions: {
      queries: {
        staleTime: 30_000,
        gcTime: 24 * 60 * 60_000,
        retryDelay: (failures) => FIRST_WAIT_MS * 2 ** failures,
        // Fetched at once, also without network: a person should see the failure, not wait in front of a skeleton.
        networkMode: 'always',
        retry: (failures, error) =>
          onlineManager.isOnline() && failures < RETRIES && describeFailure(error).worthRetrying && !isTimeout(error),
      },
    },
  })
  return queryClient
}
