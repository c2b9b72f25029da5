import type { QueryClient } from '@tanstack/react-query'
import { collectionsQuery } from '../../features/collections/queries.ts'
import { libraryFieldsQuery } from '../../features/fields/queries.ts'
import { membersQuery } from '../../features/members/queries.ts'
import { rulesQuery } from '../../features/rules/queries.ts'
import { tagsQuery } from '../../features/tags/queries.ts'

export const loadRules = (queryClient: QueryClient, library: string) =>
  Promise.all([
    queryClient.query({ ...rulesQuery(library), staleTime: 'static' }),
    queryClient.query({ ...collectionsQuery(library), staleTime: 'static' }),
    queryClient.query({ ...tagsQuery(library), staleTime: 'static' }),
    queryClient.query({ ...libraryFieldsQuery(library), staleTime: 'static' }),
    queryClient.query({ ...membersQuery(library), staleTime: 'static' }),
  ])
