import { useQuery } from '@tanstack/react-query'
import { FolderPlus } from 'lucide-react'
import { useState } from 'react'
import { IconButton } from '../../components/button.tsx'
import { t } from '../../lib/i18n/i18n.ts'
import { type CollectionDialog, CollectionDialogs } from './collection-dialogs.tsx'
import { type CollectionStars, CollectionTree } from './collection-tree.tsx'
import { collectionsQuery } from './queries.ts'
import { treeOf } from './tree.ts'
import { useCollectionChanges } from './use-collection-changes.ts'

type CollectionsSectionProps = {
  library: string
  canEdit: boolean
  stars: CollectionStars
  onDocuments: (documents: string[], collection: { id: string; name: string }) => void
  onFields: (collection: string) => void
  /** For owners. */
  onApproval: ((collection: string) => void) | undefined
}

export function CollectionsSection(props: CollectionsSectionProps) {
  const { library, canEdit, stars, onDocuments, onFields, onApproval } = props
  const { data: collections = [] } = useQuery(collectionsQuery(library))
  const [dialog, setDialog] = useState<CollectionDialog>()
  const changes = useCollectionChanges(library, collections)

  return (
    <section aria-labelledby="collections">
      <div className="flex min-h-8 items-center justify-between ps-2.5">
        <h2 id="collections" className="eyebrow">
          {t('Collections')}
        </h2>
        {canEdit ? (
          <IconButton
            icon={FolderPlus}
            label={t('New collection')}
            onClick={() => setDialog({ about: 'new', parent: null })}
          />
        ) : null}
      </div>
      {collections.length > 0 ? (
        <CollectionTree
          library={library}
          branches={treeOf(collections)}
          stars={stars}
          handlers={
            canEdit
              ? {
                  onNest: (parent) => setDialog({ about: 'new', parent }),
                  onRename: (branch) => setDialog({ about: 'name', branch }),
                  onMove: (branch) => setDialog({ about: 'home', branch }),
                  onFields: ({ id }) => onFields(id),
                  onApproval: onApproval && (({ id }) => onApproval(id)),
                  onDelete: (branch) =>
                    void changes.askToRemove(branch, (values) => setDialog({ about: 'end', branch, values })),
                  onDocuments: (branch, documents) => onDocuments(documents, branch),
                  onCollection: (branch, collection) => changes.move(collection, branch.id),
                }
              : null
          }
        />
      ) : (
        <p className="px-2.5 text-ink-faint text-xs leading-relaxed">{t('Group related documents.')}</p>
      )}
      {dialog ? (
        <CollectionDialogs
          dialog={dialog}
          collections={collections}
          changes={changes}
          onClose={() => setDialog(undefined)}
        />
      ) : null}
    </section>
  )
}
