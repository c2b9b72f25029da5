import { lazy, type ReactNode, Suspense, useEffect, useMemo, useState } from 'react'
import type { Card } from '../../features/documents/card.ts'
import type { DocumentHandlers } from '../../features/documents/shelf/document-actions.tsx'
import { useShelfActions } from '../../features/documents/shelf/use-shelf-actions.ts'
import { useToggleFavorite } from '../../features/favorites/use-favorites.ts'
import type { Arrangement } from './arrange-dialog.tsx'

const ArrangeDialog = lazy(() => import('./arrange-dialog.tsx').then((it) => ({ default: it.ArrangeDialog })))
const loadTakeItems = () => import('../library/take-items.tsx').then((it) => ({ default: it.TakeItems }))
const TakeItems = lazy(loadTakeItems)

/** @property handlers Of one document; the same object from render to render.
 *  @property dialog To be rendered once. */
type Arranging = {
  handlers: DocumentHandlers
  move: (documents: readonly Card[]) => void
  tag: (documents: readonly Card[]) => void
  trash: (documents: readonly Card[]) => void
  dialog: ReactNode
}

/** What a person does with documents of a shelf: renames, moves, tags, stars and deletes them. */
export function useArranging(library: string, canEdit: boolean): Arranging {
  const actions = useShelfActions(library)
  const toggleFavorite = useToggleFavorite()
  const [arrangement, setArrangement] = useState<Arrangement>()
  // After the shelf is drawn and before a menu is opened, so that its entries do not move then.
  useEffect(() => void loadTakeItems().catch(() => undefined), [])
  const handlers = useMemo(
    (): DocumentHandlers => ({
      onReadAgain: actions.readAgain,
      onStar: (document) => toggleFavorite({ library, document }),
      onRename: (document) => setArrangement({ kind: 'rename', document }),
      onMove: (document) => setArrangement({ kind: 'move', documents: [document] }),
      onTag: (document) => setArrangement({ kind: 'tag', documents: [document] }),
      onDelete: (document) => actions.trash([document]),
      drawTaking: (document) => (
        <Suspense fallback={null}>
          <TakeItems library={library} document={document} canEdit={canEdit} />
        </Suspense>
      ),
    }),
    [actions, library, canEdit, toggleFavorite],
  )
  return {
    handlers,
    move: (documents) => setArrangement({ kind: 'move', documents }),
    tag: (documents) => setArrangement({ kind: 'tag', documents }),
    trash: actions.trash,
    dialog: (
      <Suspense fallback={null}>
        {arrangement ? (
          <ArrangeDialog
            library={library}
            arrangement={arrangement}
            actions={actions}
            onClose={() => setArrangement(undefined)}
          />
        ) : null}
      </Suspense>
    ),
  }
}
