import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { NameDialog } from '../../components/name-dialog.tsx'
import { t } from '../../lib/i18n/i18n.ts'
import { CollectionPicker } from './collection-picker.tsx'
import { type Branch, type Collection, moveTargets } from './tree.ts'
import type { CollectionChanges } from './use-collection-changes.ts'

/** @property values The number of field values that would be deleted. */
export type CollectionDialog =
  | { about: 'new'; parent: Branch | null }
  | { about: 'name' | 'home'; branch: Branch }
  | { about: 'end'; branch: Branch; values: number }

type CollectionDialogsProps = {
  dialog: CollectionDialog
  collections: readonly Collection[]
  changes: CollectionChanges
  onClose: () => void
}

export function CollectionDialogs({ dialog, collections, changes, onClose }: CollectionDialogsProps) {
  switch (dialog.about) {
    case 'new':
      return (
        <NameDialog
          title={dialog.parent ? t('New collection in “{name}”', { name: dialog.parent.name }) : t('New collection')}
          label={t('Name')}
          initial=""
          column="collections.name"
          action={t('Create')}
          onName={(name) => changes.add(name, dialog.parent?.id ?? null)}
          onClose={onClose}
        />
      )
    case 'name':
      return (
        <NameDialog
          title={t('Rename the collection')}
          label={t('Name')}
          initial={dialog.branch.name}
          column="collections.name"
          action={t('Rename')}
          onName={(name) => changes.rename(dialog.branch.id, name)}
          onClose={onClose}
        />
      )
    case 'end':
      return (
        <ConfirmDialog
          title={t('Delete the collection “{name}”?', { name: dialog.branch.name })}
          action={t('Delete the collection')}
          onConfirm={() => {
            changes.remove(dialog.branch, true)
            onClose()
          }}
          onClose={onClose}
        >
          {t(
            'Its documents stay in the library. Its fields are deleted with their {values} values, which can’t be restored.',
            { values: dialog.values },
          )}
        </ConfirmDialog>
      )
    case 'home':
      return (
        <CollectionPicker
          title={t('Move “{name}” to', { name: dialog.branch.name })}
          top={t('Top level of the library')}
          collections={moveTargets(collections, dialog.branch.id)}
          onPick={(parent) => changes.move(dialog.branch.id, parent)}
          onClose={onClose}
        />
      )
  }
}
