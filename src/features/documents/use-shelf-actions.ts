import { useMutation, useQueryClient } from '@tanstack/react-query'
import { t } from '../../lib/i18n.ts'
import { keys } from '../../lib/keys.ts'
import { say, sayFailure } from '../../lib/toast.ts'
import { indexDocument, moveDocuments, renameDocument, setDeleted } from './mutations.ts'
import type { Card } from './queries.ts'
import { changeCards } from './shelf-cache.ts'

type Named = Pick<Card, 'id' | 'title'>
type Placed = Named & Pick<Card, 'collection_id'>

/** What a message about documents needs: their number, and a title for where there is only one. */
export const counted = (documents: readonly Named[]) => ({ count: documents.length, title: documents[0]?.title ?? '' })

/** What can be done with documents on the shelf: seen at once, undone with one press, put back if the database refuses. */
export function useShelfActions(library: string) {
  const queryClient = useQueryClient()
  const onSettled = () =>
    Promise.all([
      queryClient.invalidateQueries({ queryKey: keys.documents(library) }),
      queryClient.invalidateQueries({ queryKey: keys.trash(library) }),
      queryClient.invalidateQueries({ queryKey: keys.search(library) }),
      queryClient.invalidateQueries({ queryKey: keys.titles(library) }),
    ])
  const onError = (error: unknown, _wish: unknown, rollBack: (() => void) | undefined) => {
    rollBack?.()
    sayFailure(error)
  }
  const indexing = useMutation({ ...indexDocument, onError: sayFailure, onSettled })
  const deletion = useMutation({
    ...setDeleted,
    onMutate: ({ documents, deleted }) =>
      deleted ? changeCards(queryClient, library, documents, () => undefined) : undefined,
    onError,
    onSettled,
  })
  const renaming = useMutation({
    ...renameDocument,
    onMutate: ({ document, title }) => changeCards(queryClient, library, [document], (card) => ({ ...card, title })),
    onError,
    onSettled,
  })
  const move = useMutation({
    ...moveDocuments,
    onMutate: ({ documents, collection }) =>
      changeCards(queryClient, library, documents, (card) => ({ ...card, collection_id: collection })),
    onError,
    onSettled,
  })

  const trash = (documents: readonly Named[]) => {
    const ids = documents.map(({ id }) => id)
    deletion.mutate(
      { documents: ids, deleted: true },
      {
        onSuccess: () =>
          say({
            title: t(
              '{count, plural, =1 {“{title}” is in the trash} other {# documents are in the trash}}',
              counted(documents),
            ),
            description: t('What is there can be restored for 30 days.'),
            action: { label: t('Undo'), onClick: () => deletion.mutate({ documents: ids, deleted: false }) },
          }),
      },
    )
  }
  /** @param to Null takes them out of every collection. */
  const put = (documents: readonly Placed[], to: { id: string; name: string } | null) => {
    const moved = documents.filter(({ collection_id }) => collection_id !== (to?.id ?? null))
    if (moved.length === 0) return
    const before = Map.groupBy(moved, ({ collection_id }) => collection_id)
    const undo = () => {
      for (const [collection, there] of before) move.mutate({ documents: there.map(({ id }) => id), collection })
    }
    move.mutate(
      { documents: moved.map(({ id }) => id), collection: to?.id ?? null },
      {
        onSuccess: () =>
          say({
            title: to
              ? t('{count, plural, =1 {“{title}” is in “{place}” now} other {# documents are in “{place}” now}}', {
                  ...counted(moved),
                  place: to.name,
                })
              : t(
                  '{count, plural, =1 {“{title}” is in no collection now} other {# documents are in no collection now}}',
                  counted(moved),
                ),
            action: { label: t('Undo'), onClick: undo },
          }),
      },
    )
  }
  /** The same for documents of which only the ids are known, as dragging leaves them: looked up on the shelves at hand. */
  const putById = (ids: readonly string[], to: { id: string; name: string } | null) =>
    put(cardsById(queryClient.getQueriesData({ queryKey: keys.documents(library) }), ids), to)

  return {
    index: (document: Pick<Card, 'id' | 'kind'>) => indexing.mutate(document),
    rename: (document: string, title: string) => renaming.mutate({ document, title }),
    trash,
    put,
    putById,
  }
}

type Kept = readonly (readonly [unknown, unknown])[]

function cardsById(shelves: Kept, ids: readonly string[]): Placed[] {
  const cards = new Map<string, Placed>()
  for (const [, data] of shelves) {
    const pages = (data as { pages?: { documents: Card[] }[] } | undefined)?.pages ?? []
    for (const card of pages.flatMap(({ documents }) => documents)) cards.set(card.id, card)
  }
  return ids.flatMap((id) => cards.get(id) ?? [])
}
