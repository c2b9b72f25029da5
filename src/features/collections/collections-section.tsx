import { useMutation, useQuery } from '@tanstack/react-query'
import { FolderPlus } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { NameDialog } from '../../components/name-dialog.tsx'
import { showFailure } from '../../domain/failure-toast.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { showToast } from '../../lib/ui/toast.ts'
import { CollectionPicker } from './collection-picker.tsx'
import { type CollectionStars, CollectionTree } from './collection-tree.tsx'
import { addCollection, deleteCollection, moveCollection, renameCollection, restoreCollection } from './mutations.ts'
import { collectionsQuery } from './queries.ts'
import { type Branch, moveTargets, treeOf, within } from './tree.ts'

type CollectionsSectionProps = {
  library: string
  canEdit: boolean
  stars: CollectionStars
  /** Documents were dropped on a collection. */
  onDocuments: (documents: string[], collection: { id: string; name: string }) => void
  /** Opens the fields of a collection. */
  onFields: (collection: string) => void
}

type OpenDialog =
  | { about: 'new'; parent: Branch | null }
  | { about: 'name' | 'home'; branch: Branch }
  | { about: 'end'; branch: Branch; values: number }

/** The library's collections and all that can be done with them: by menu, or by dragging. */
export function CollectionsSection({ library, canEdit, stars, onDocuments, onFields }: CollectionsSectionProps) {
  const { data: collections = [] } = useQuery(collectionsQuery(library))
  const [dialog, setDialog] = useState<OpenDialog>()
  const addition = useMutation({ ...addCollection, onError: showFailure })
  const naming = useMutation({ ...renameCollection, onError: showFailure })
  const move = useMutation({ ...moveCollection, onError: showFailure })
  const restoration = useMutation({ ...restoreCollection, onError: showFailure })
  const deletion = useMutation({ ...deleteCollection, onError: showFailure })

  const put = (collection: string, parent: string | null) => {
    const before = collections.find(({ id }) => id === collection)
    if (!before || before.parent_id === parent) return
    const undo = { label: t('Undo'), onClick: () => move.mutate({ library, collection, parent: before.parent_id }) }
    move.mutate(
      { library, collection, parent },
      { onSuccess: () => showToast({ title: t('“{name}” is moved', { name: before.name }), action: undo }) },
    )
  }
  /** What their fields hold is gone for good, so that is asked first. */
  const askToRemove = async (branch: Branch) => {
    try {
      const { fields, values } = await countFields(within(collections, branch.id))
      if (fields === 0) remove(branch)
      else setDialog({ about: 'end', branch, values })
    } catch (error) {
      showFailure(error)
    }
  }
  const remove = ({ id, name }: Branch, hasFields = false) =>
    deletion.mutate(
      { library, inside: within(collections, id) },
      {
        onSuccess: (deleted) =>
          showToast({
            title: t('The collection “{name}” is gone', { name }),
            description: t('Its documents are still in the library.'),
            ...(hasFields
              ? {}
              : { action: { label: t('Undo'), onClick: () => restoration.mutate({ library, ...deleted }) } }),
          }),
      },
    )

  return (
    <section aria-labelledby="collections">
      <div className="flex min-h-8 items-center justify-between ps-2.5">
        <h2 id="collections" className="eyebrow">
          {t('Collections')}
        </h2>
        {canEdit ? (
          <Button
            look="quiet"
            size="small-icon"
            aria-label={t('New collection')}
            onClick={() => setDialog({ about: 'new', parent: null })}
          >
            <FolderPlus aria-hidden />
          </Button>
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
                  onDelete: (branch) => void askToRemove(branch),
                  onDocuments: (branch, documents) => onDocuments(documents, branch),
                  onCollection: (branch, collection) => put(collection, branch.id),
                }
              : null
          }
        />
      ) : (
        <p className="px-2.5 text-ink-faint text-xs leading-relaxed">{t('Make one to keep what belongs together.')}</p>
      )}
      {dialog?.about === 'new' ? (
        <NameDialog
          title={
            dialog.parent ? t('A new collection in “{name}”', { name: dialog.parent.name }) : t('A new collection')
          }
          label={t('Name')}
          initial=""
          longest={120}
          action={t('Create')}
          onName={(name) => addition.mutate({ library, name, parent: dialog.parent?.id ?? null })}
          onClose={() => setDialog(undefined)}
        />
      ) : null}
      {dialog?.about === 'name' ? (
        <NameDialog
          title={t('Rename the collection')}
          label={t('Name')}
          initial={dialog.branch.name}
          longest={120}
          action={t('Rename')}
          onName={(name) => naming.mutate({ library, collection: dialog.branch.id, name })}
          onClose={() => setDialog(undefined)}
        />
      ) : null}
      {dialog?.about === 'end' ? (
        <ConfirmDialog
          title={t('Delete the collection “{name}”?', { name: dialog.branch.name })}
          action={t('Delete the collection')}
          onConfirm={() => {
            remove(dialog.branch, true)
            setDialog(undefined)
          }}
          onClose={() => setDialog(undefined)}
        >
          {t(
            'Its documents stay in the library. Its fields go with it, and the values that documents have of them: {values} in all. They cannot be restored.',
            { values: dialog.values },
          )}
        </ConfirmDialog>
      ) : null}
      {dialog?.about === 'home' ? (
        <CollectionPicker
          title={t('Move “{name}” to', { name: dialog.branch.name })}
          top={t('The top of the library')}
          collections={moveTargets(collections, dialog.branch.id)}
          onPick={(parent) => put(dialog.branch.id, parent)}
          onClose={() => setDialog(undefined)}
        />
      ) : null}
    </section>
  )
}

/** What the fields of these collections are: so much is deleted with them. */
async function countFields(collections: readonly string[]): Promise<{ fields: number; values: number }> {
  const [fields, values] = await Promise.all([
    supabase
      .from('collection_fields')
      .select('*', { count: 'exact', head: true })
      .in('collection_id', collections)
      .throwOnError(),
    supabase
      .from('field_values')
      .select('id, field:collection_fields!inner(collection_id)', { count: 'exact', head: true })
      .in('field.collection_id', collections)
      .throwOnError(),
  ])
  return { fields: fields.count ?? 0, values: values.count ?? 0 }
}
