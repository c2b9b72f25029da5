import { useQuery } from '@tanstack/react-query'
import { lazy } from 'react'
import { NameDialog } from '../../components/name-dialog.tsx'
import { CollectionPicker } from '../../features/collections/collection-picker.tsx'
import { collectionsQuery } from '../../features/collections/queries.ts'
import { flatten, treeOf } from '../../features/collections/tree.ts'
import type { Card } from '../../features/documents/card.ts'
import { countAndTitle, type useShelfActions } from '../../features/documents/shelf/use-shelf-actions.ts'
import { t } from '../../lib/i18n/i18n.ts'

const TagPicker = lazy(() => import('../../features/tags/tag-picker.tsx').then((it) => ({ default: it.TagPicker })))

/** A document of the shelf, or an open one. */
export type Arranged = Pick<Card, 'id' | 'title' | 'collection_id'> & { tags: readonly { tag: { id: string } }[] }

export type Arrangement =
  | { kind: 'rename'; document: Arranged }
  | { kind: 'move' | 'tag'; documents: readonly Arranged[] }

type ArrangeDialogProps = {
  library: string
  arrangement: Arrangement
  /** The shelf's, because they report success after this dialog has closed. */
  actions: ReturnType<typeof useShelfActions>
  onClose: () => void
}

/** Renames, moves or tags documents. Mounted only while open. */
export function ArrangeDialog({ library, arrangement, actions, onClose }: ArrangeDialogProps) {
  const { data: collections = [] } = useQuery(collectionsQuery(library))
  if (arrangement.kind === 'rename') {
    const { document } = arrangement
    return (
      <NameDialog
        title={t('Rename')}
        label={t('Title')}
        initial={document.title}
        column="documents.title"
        action={t('Rename')}
        onName={(title) => actions.rename(document.id, title)}
        onClose={onClose}
      />
    )
  }
  const { documents } = arrangement
  return arrangement.kind === 'move' ? (
    <CollectionPicker
      title={t('{count, plural, =1 {Move “{title}” to} other {Move # documents to}}', countAndTitle(documents))}
      top={t('No collection')}
      collections={flatten(treeOf(collections))}
      onPick={(id) => actions.move(documents, collections.find((one) => one.id === id) ?? null)}
      onClose={onClose}
    />
  ) : (
    <TagPicker
      library={library}
      title={t('{count, plural, =1 {Tags of “{title}”} other {Tags of # documents}}', countAndTitle(documents))}
      documents={documents}
      onClose={onClose}
    />
  )
}
