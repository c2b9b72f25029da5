import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { FolderPlus } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { NameDialog } from '../../components/name-dialog.tsx'
import { t } from '../../lib/i18n.ts'
import { keys } from '../../lib/keys.ts'
import { say, sayFailure } from '../../lib/toast.ts'
import { CollectionPicker } from './collection-picker.tsx'
import { CollectionTree } from './collection-tree.tsx'
import { addCollection, deleteCollection, moveCollection, renameCollection, restoreCollection } from './mutations.ts'
import { collectionsQuery } from './queries.ts'
import { type Branch, homesFor, treeOf, within } from './tree.ts'

type CollectionsSectionProps = {
  library: string
  canEdit: boolean
  /** Documents were dropped on a collection. */
  onDocuments: (documents: string[], collection: { id: string; name: string }) => void
}

type Asking = { about: 'new'; parent: Branch | null } | { about: 'name' | 'home'; branch: Branch }

/** The library's collections and all that can be done with them: by menu, or by dragging. */
export function CollectionsSection({ library, canEdit, onDocuments }: CollectionsSectionProps) {
  const queryClient = useQueryClient()
  const { data: collections = [] } = useQuery(collectionsQuery(library))
  const [asking, setAsking] = useState<Asking>()
  const settled = {
    onError: sayFailure,
    onSettled: () =>
      Promise.all([
        queryClient.invalidateQueries({ queryKey: keys.collections(library) }),
        queryClient.invalidateQueries({ queryKey: keys.documents(library) }),
      ]),
  }
  const addition = useMutation({ ...addCollection, ...settled })
  const naming = useMutation({ ...renameCollection, ...settled })
  const move = useMutation({ ...moveCollection, ...settled })
  const restoration = useMutation({ ...restoreCollection, ...settled })
  const deletion = useMutation({ ...deleteCollection, ...settled })

  const put = (collection: string, parent: string | null) => {
    const before = collections.find(({ id }) => id === collection)
    if (!before || before.parent_id === parent) return
    const undo = { label: t('Undo'), onClick: () => move.mutate({ collection, parent: before.parent_id }) }
    move.mutate(
      { collection, parent },
      { onSuccess: () => say({ title: t('“{name}” is moved', { name: before.name }), action: undo }) },
    )
  }
  const remove = ({ id, name }: Branch) =>
    deletion.mutate(within(collections, id), {
      onSuccess: (deleted) =>
        say({
          title: t('The collection “{name}” is gone', { name }),
          description: t('Its documents are still in the library.'),
          action: { label: t('Undo'), onClick: () => restoration.mutate(deleted) },
        }),
    })

  return (
    <section aria-labelledby="collections">
      <div className="flex min-h-8 items-center justify-between pl-2.5">
        <h2 id="collections" className="eyebrow">
          {t('Collections')}
        </h2>
        {canEdit ? (
          <Button
            look="quiet"
            size="small-icon"
            aria-label={t('New collection')}
            onClick={() => setAsking({ about: 'new', parent: null })}
          >
            <FolderPlus aria-hidden />
          </Button>
        ) : null}
      </div>
      {collections.length > 0 ? (
        <CollectionTree
          library={library}
          branches={treeOf(collections)}
          handlers={
            canEdit
              ? {
                  onNest: (parent) => setAsking({ about: 'new', parent }),
                  onRename: (branch) => setAsking({ about: 'name', branch }),
                  onMove: (branch) => setAsking({ about: 'home', branch }),
                  onDelete: remove,
                  onDocuments: (branch, documents) => onDocuments(documents, branch),
                  onCollection: (branch, collection) => put(collection, branch.id),
                }
              : null
          }
        />
      ) : (
        <p className="px-2.5 text-ink-faint text-xs leading-relaxed">{t('Make one to keep what belongs together.')}</p>
      )}
      {asking?.about === 'new' ? (
        <NameDialog
          title={
            asking.parent ? t('A new collection in “{name}”', { name: asking.parent.name }) : t('A new collection')
          }
          label={t('Name')}
          initial=""
          longest={120}
          action={t('Create')}
          onName={(name) => addition.mutate({ library, name, parent: asking.parent?.id ?? null })}
          onClose={() => setAsking(undefined)}
        />
      ) : null}
      {asking?.about === 'name' ? (
        <NameDialog
          title={t('Rename the collection')}
          label={t('Name')}
          initial={asking.branch.name}
          longest={120}
          action={t('Rename')}
          onName={(name) => naming.mutate({ collection: asking.branch.id, name })}
          onClose={() => setAsking(undefined)}
        />
      ) : null}
      {asking?.about === 'home' ? (
        <CollectionPicker
          title={t('Move “{name}” to', { name: asking.branch.name })}
          top={t('The top of the library')}
          homes={homesFor(collections, asking.branch.id)}
          onPick={(parent) => put(asking.branch.id, parent)}
          onClose={() => setAsking(undefined)}
        />
      ) : null}
    </section>
  )
}
