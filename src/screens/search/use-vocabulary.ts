import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { FILE_TYPE_NAMES } from '../../domain/document-filter.ts'
import { collectionsQuery } from '../../features/collections/queries.ts'
import { facetsQuery } from '../../features/documents/title-queries.ts'
import { libraryFieldsQuery } from '../../features/fields/queries.ts'
import { membersQuery } from '../../features/members/queries.ts'
import type { Vocabulary } from '../../features/search/query-syntax.ts'
import { tagsQuery } from '../../features/tags/queries.ts'
import { useSession } from '../../lib/session/use-session.ts'

/** What a library's filters can refer to, and whether it's completely loaded. */
export function useVocabulary(library: string): { vocabulary: Vocabulary; isLoading: boolean } {
  const { user } = useSession()
  const collections = useQuery(collectionsQuery(library))
  const tags = useQuery(tagsQuery(library))
  const members = useQuery(membersQuery(library))
  const fields = useQuery(libraryFieldsQuery(library))
  // Only for completions, so not needed for parsing.
  const facets = useQuery(facetsQuery(library))
  const vocabulary = useMemo(
    () => ({
      collections: collections.data ?? [],
      tags: tags.data ?? [],
      people: (members.data ?? []).map(({ user_id, profile }) => ({ id: user_id, name: profile.display_name })),
      authors: facets.data?.authors.map(({ name }) => name) ?? [],
      years: facets.data?.years.map(({ year }) => year) ?? [],
      types: FILE_TYPE_NAMES,
      hasVerified: false,
      states: [],
      fields: fields.data ?? [],
      me: user.id,
    }),
    [collections.data, tags.data, members.data, facets.data, fields.data, user.id],
  )
  return { vocabulary, isLoading: collections.isPending || tags.isPending || members.isPending || fields.isPending }
}
