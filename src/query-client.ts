import { onlineManager, QueryCache, QueryClient } from '@tanstack/react-query'
import { describeFailure, isRefused, isTimeout, refetchAfter } from './domain/failure.ts'
import { createMutationCache } from './lib/mutations.ts'

/** Two retries take two seconds; then the person should see the failure. */
const RETRIES = 2
const FIRST_WAIT_MS = 500

/** Results are fresh for half a minute and persisted (lib/offline/query-persistence.ts). Mutations invalidate the
 *  queries that they affect (lib/mutations.ts). */
export function createQueryClient(): QueryClient {
  const queryClient: QueryClient = new QueryClient({
    mutationCache: createMutationCache(() => queryClient),
    queryCache: new QueryCache({
      onError: (error, { queryKey, state }) => {
        // Keep showing a result through failures, unless the backend now refuses it.
        if (state.data !== undefined && isRefused(error)) void queryClient.resetQueries({ queryKey, exact: true })
      },
    }),
    defaultOptions: {
      queries: {
        staleTime: 30_000,
        gcTime: 24 * 60 * 60_000,
        retryDelay: (failures) => FIRST_WAIT_MS * 2 ** failures,
        // Fetch even when offline, to show the failure instead of a skeleton.
        networkMode: 'always',
        retry: (failures, error) =>
          onlineManager.isOnline() && failures < RETRIES && describeFailure(error).worthRetrying && !isTimeout(error),
        refetchInterval: ({ state }) => refetchAfter(state.error),
      },
    },
  })
  return queryClient
}
