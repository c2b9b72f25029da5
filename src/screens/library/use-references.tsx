import { useQuery, useQueryClient } from '@tanstack/react-query'
import { LinkedDocument, LinkState } from '../../features/documents/linked-document.tsx'
import { documentSearchQuery, linkedDocumentQuery, titlesQuery } from '../../features/documents/title-queries.ts'
import { groupsQuery, membersQuery } from '../../features/members/queries.ts'
import type { LinkDrawing } from '../../features/notes/editor/link-faces.tsx'
import type { References } from '../../features/notes/editor/reference-menus.ts'
import { citedSentence, excerpt } from '../../features/search/hits.ts'
import { offeredPassagesQuery } from '../../features/search/queries.ts'

export const LINKS: LinkDrawing = {
  card: (place, label) => <LinkedDocument place={place} label={label} />,
  state: (place) => <LinkState place={place} />,
}

/** Minimum letters for finding passages, and letters shown before the first match. */
const MIN_LETTERS = 3
const LEAD_IN = 24

/** What a library's notes can refer to: members, groups, documents and passages. */
export function useReferences(library: string): References {
  const queryClient = useQueryClient()
  const { data: members = [] } = useQuery(membersQuery(library))
  const { data: groups = [] } = useQuery(groupsQuery(library))
  return {
    library,
    people: () => [
      ...members.map(({ user_id, profile }) => ({ id: user_id, name: profile.display_name })),
      ...groups.map(({ id, name }) => ({ id, name, isGroup: true })),
    ],
    findDocuments: (words) =>
      words === ''
        ? queryClient.fetchQuery(titlesQuery(library))
        : queryClient.fetchQuery(documentSearchQuery(library, words)),
    findPassages: async (words) => {
      if (words.length < MIN_LETTERS) return []
      const hits = await queryClient.fetchQuery(offeredPassagesQuery(library, words))
      return hits.map(({ passage_id: id, document_id: document, title, page, content, highlights }) => ({
        id,
        document,
        title,
        page,
        excerpt: excerpt(content, highlights, LEAD_IN)
          .map(({ text }) => text)
          .join(''),
        quote: citedSentence(content, highlights),
      }))
    },
    findTitle: async ({ library, document }) =>
      (await queryClient.fetchQuery(linkedDocumentQuery(library, document)))?.title,
    drawing: LINKS,
  }
}
