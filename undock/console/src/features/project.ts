import { queryOptions } from '@tanstack/react-query'
import { api, type ProjectFacts } from '../lib/api.ts'

export const projectQuery = queryOptions({
  queryKey: ['project'],
  queryFn: ({ signal }) => api<ProjectFacts>('/project', { signal }),
})
