import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { showFailure, useAction } from '../../../domain/failure-toast.ts'
import { keys } from '../../../domain/keys.ts'
import { t } from '../../../lib/i18n/i18n.ts'
import { showToast } from '../../../lib/ui/toast.ts'
import type { Card, ShelfPage } from '../card.ts'
import { moveDocuments, readAgain, renameDocument, setDeleted } from '../mutations.ts'
import { changeCards } from './shelf-cache.ts'

type NamedDocument = Pick<Card, 'id' | 'title'>
type PlacedDocument = NamedDocument & Pick<Card, 'collection_id'>

/** Message parameters: the number of documents, and the title if there is one. */
export const countAndTitle = (documents: readonly NamedDocument[]) => ({
  count: documents.length,
  title: documents[0]?.title ?? '',
})

/** Shelf actions: optimistic, undoable, and rolled back on failure. */
export function useShelfActions(library: string) {
  const queryClient = useQueryClient()
  const onError = (error: unknown, _variables: unknown, rollBack: (() => void) | undefined) => {
    rollBack?.()
    showFailure(error)
  }
  const reading = useAction(readAgain)
  const deletion = useMutation({
    ...setDeleted,
    onMutate: ({ documents, deleted }) =>
      deleted ? changeCards(queryClient, library, documents, () => undefined) : undefined,
    onError,
  })
  const renaming = useMutation({
    ...renameDocument,
    onMutate: ({ document, title }) => changeCards(queryClient, library, [document], (card) => ({ ...card, title })),
    onError,
  })
  const movement = useMutation({
    ...moveDocuments,
    onMutate: ({ documents, collection }) =>
      changeCards(queryClient, library, documents, (card) => ({ ...card, collection_id: collection })),
    onError,
  })

  const { mutate: remove } = deletion
  const { mutate: place } = movement
  const { mutate: read } = reading
  const { mutate: name } = renaming
  return useMemo(
    () => shelfActions({ queryClient, library, remove, place, read, name }),
    [queryClient, library, remove, place, read, name],
  )
}

type Documents = { library: string; documents: readonly string[] }
type Steps = {
  queryClient: QueryClient
  library: string
  remove: (change: Documents & { deleted: boolean }, then?: { onSuccess: () => void }) => void
  place: (change: Documents & { collection: string | null }, then?: { onSuccess: () => void }) => void
  read: (documents: Documents) => void
  name: (change: { library: string; document: string; title: string }) => void
}

function shelfActions({ queryClient, library, remove, place, read, name }: Steps) {
  const trash = (documents: readonly NamedDocument[]) => {
    const ids = documents.map(({ id }) => id)
    remove(
      { library, documents: ids, deleted: true },
      {
        onSuccess: () =>
          showToast({
            title: t(
              '{count, plural, =1 {“{title}” is in the trash} other {# documents are in the trash}}',
              countAndTitle(documents),
            ),
            description: t('Documents in the trash can be restored for a while.'),
            action: { label: t('Undo'), onClick: () => remove({ library, documents: ids, deleted: false }) },
          }),
      },
    )
  }
  /** @param to Null removes them from their collections. */
  const move = (documents: readonly PlacedDocument[], to: { id: string; name: string } | null) => {
    const moved = documents.filter(({ collection_id }) => collection_id !== (to?.id ?? null))
    if (moved.length === 0) return
    const before = Map.groupBy(moved, ({ collection_id }) => collection_id)
    const undo = () => {
      for (const [collection, there] of before) place({ library, documents: there.map(({ id }) => id), collection })
    }
    place(
      { library, documents: moved.map(({ id }) => id), collection: to?.id ?? null },
      {
        onSuccess: () =>
          showToast({
            title: to
              ? t('{count, plural, =1 {“{title}” is in “{place}” now} other {# documents are in “{place}” now}}', {
                  ...countAndTitle(moved),
                  place: to.name,
                })
              : t(
                  '{count, plural, =1 {“{title}” is no longer in a collection} other {# documents are no longer in a collection}}',
                  countAndTitle(moved),
                ),
            action: { label: t('Undo'), onClick: undo },
          }),
      },
    )
  }
  /** Looks up dragged documents on cached shelves. */
  const cardsOf = (ids: readonly string[]) =>
    cardsById(queryClient.getQueriesData({ queryKey: keys.documents(library) }), ids)

  return {
    readAgain: (documents: readonly Pick<Card, 'id'>[]) => read({ library, documents: documents.map(({ id }) => id) }),
    rename: (document: string, title: string) => name({ library, document, title }),
    trash,
    move,
    cardsOf,
  }
}

type CachedShelves = readonly (readonly [unknown, { pages?: ShelfPage[] } | undefined])[]

function cardsById(shelves: CachedShelves, ids: readonly string[]): Card[] {
  const cards = new Map<string, Card>()
  for (const [, shelf] of shelves)
    for (const card of shelf?.pages?.flatMap(({ documents }) => documents) ?? []) cards.set(card.id, card)
  return ids.flatMap((id) => cards.get(id) ?? [])
}
