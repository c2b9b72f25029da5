import { QueryClient } from '@tanstack/react-query'
import { describeFailure } from './failure.ts'

const ATTEMPTS = 2

/** Reads keep for half a minute before they are looked at again, and stay readable for a day without network. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 30_000,
        gcTime: 24 * 60 * 60_000,
        retry: (failures, error) => failures < ATTEMPTS && describeFailure(error).worthRetrying,
      },
    },
  })
}
