import { onlineManager, QueryCache, QueryClient } from '@tanstack/react-query'
import { describeFailure, isRefused } from './failure.ts'

/** Tried again twice, within two seconds: then a person should hear of it. */
const RETRIES = 2
const FIRST_WAIT_MS = 500

/** Reads keep for half a minute before they are looked at again, and stay readable without network (offline.ts). What is
 *  written without network waits, and goes when it is back. */
export function createQueryClient(): QueryClient {
  // It hears of changes only: a page that is opened without network would wait for one.
  onlineManager.setOnline(navigator.onLine)
  const queryClient: QueryClient = new QueryClient({
    queryCache: new QueryCache({
      onError: (error, { queryKey, state }) => {
        // What was read before stays on screen through any failure, but not when it has been taken away.
        if (state.data !== undefined && isRefused(error)) void queryClient.resetQueries({ queryKey, exact: true })
      },
    }),
    defaultOptions: {
      queries: {
        staleTime: 30_000,
        gcTime: 24 * 60 * 60_000,
        retryDelay: (failures) => FIRST_WAIT_MS * 2 ** failures,
        // Asked at once, also without network: whoever waits should be told, not left before a skeleton.
        networkMode: 'always',
        retry: (failures, error) => navigator.onLine && failures < RETRIES && describeFailure(error).worthRetrying,
      },
    },
  })
  return queryClient
}
