import { queryOptions } from '@tanstack/react-query'
import type { Finding } from '../../../src/console/advisors.ts'
import { api } from '../lib/api.ts'
import { catalogKey } from './catalog.ts'

/** The advisors' findings. */
export const advisorsQuery = queryOptions({
  queryKey: [...catalogKey, 'advisors'],
  queryFn: ({ signal }) => api<Finding[]>('/advisors', { signal }),
})
