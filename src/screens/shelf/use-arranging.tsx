import { lazy, type ReactNode, Suspense, useMemo, useState } from 'react'
import type { DocumentHandlers } from '../../features/documents/shelf/document-actions.tsx'
import { useShelfActions } from '../../features/documents/shelf/use-shelf-actions.ts'
import { useToggleFavorite } from '../../features/favorites/use-favorites.ts'
import { Opening } from '../../lib/ui/typed-ahead.ts'
import { ExportItems } from '../library/export-items.tsx'
import type { Arranged, Arrangement } from './arrange-dialog.tsx'

const ArrangeDialog = lazy(() => import('./arrange-dialog.tsx').then((it) => ({ default: it.ArrangeDialog })))

/** @property handlers Actions for one document; a stable object. @property dialog To be rendered once. */
export type Arranging = {
  handlers: DocumentHandlers
  rename: (document: Arranged) => void
  move: (documents: readonly Arranged[]) => void
  tag: (documents: readonly Arranged[]) => void
  trash: (documents: readonly Arranged[]) => void
  readAgain: (documents: readonly Pick<Arranged, 'id'>[]) => void
  dialog: ReactNode
}

export function useArranging(library: string, canEdit: boolean): Arranging {
  const actions = useShelfActions(library)
  const toggleFavorite = useToggleFavorite()
  const [arrangement, setArrangement] = useState<Arrangement>()
  const handlers = useMemo(
    (): DocumentHandlers => ({
      onReadAgain: (document) => actions.readAgain([document]),
      onStar: (document) => toggleFavorite({ library, document }),
      onRename: (document) => setArrangement({ kind: 'rename', document }),
      onMove: (document) => setArrangement({ kind: 'move', documents: [document] }),
      onTag: (document) => setArrangement({ kind: 'tag', documents: [document] }),
      onDelete: (document) => actions.trash([document]),
      drawExportItems: (document) => <ExportItems library={library} document={document} canEdit={canEdit} />,
    }),
    [actions, library, canEdit, toggleFavorite],
  )
  return {
    handlers,
    rename: (document) => setArrangement({ kind: 'rename', document }),
    move: (documents) => setArrangement({ kind: 'move', documents }),
    tag: (documents) => setArrangement({ kind: 'tag', documents }),
    trash: actions.trash,
    readAgain: actions.readAgain,
    dialog: (
      <Suspense fallback={<Opening />}>
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
