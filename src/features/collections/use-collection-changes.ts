import { showFailure, useAction } from '../../domain/failure-toast.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { showToast } from '../../lib/ui/toast.ts'
import { addCollection, deleteCollection, moveCollection, renameCollection, restoreCollection } from './mutations.ts'
import { type Branch, type Collection, within } from './tree.ts'

export type CollectionChanges = ReturnType<typeof useCollectionChanges>

/** Changes collections, with undo where possible. */
export function useCollectionChanges(library: string, collections: readonly Collection[]) {
  const addition = useAction(addCollection)
  const naming = useAction(renameCollection)
  const move = useAction(moveCollection)
  const restoration = useAction(restoreCollection)
  const deletion = useAction(deleteCollection)
  const remove = ({ id, name }: Branch, hasFields = false) =>
    deletion.mutate(
      { library, inside: within(collections, id) },
      {
        onSuccess: (deleted) =>
          showToast({
            title: t('The collection “{name}” was deleted', { name }),
            description: t('Its documents are still in the library.'),
            ...(hasFields
              ? {}
              : { action: { label: t('Undo'), onClick: () => restoration.mutate({ library, ...deleted }) } }),
          }),
      },
    )
  return {
    add: (name: string, parent: string | null) => addition.mutate({ library, name, parent }),
    rename: (collection: string, name: string) => naming.mutate({ library, collection, name }),
    move(collection: string, parent: string | null) {
      const before = collections.find(({ id }) => id === collection)
      if (!before || before.parent_id === parent) return
      const undo = { label: t('Undo'), onClick: () => move.mutate({ library, collection, parent: before.parent_id }) }
      move.mutate(
        { library, collection, parent },
        { onSuccess: () => showToast({ title: t('“{name}” was moved', { name: before.name }), action: undo }) },
      )
    },
    /** Deletes a collection and its descendants. @param hasFields Whether fields are deleted, which can't be undone. */
    remove,
    /** Deletes a collection, but asks first if field values would be lost.
     *  @param onValues Receives the number of values. */
    async askToRemove(branch: Branch, onValues: (values: number) => void) {
      try {
        const { fields, values } = await countFields(within(collections, branch.id))
        if (fields === 0) remove(branch)
        else onValues(values)
      } catch (error) {
        showFailure(error)
      }
    },
  }
}

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
