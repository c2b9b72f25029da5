import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Dialog } from '../../components/dialog.tsx'
import { TextareaField, TextField } from '../../components/field.tsx'
import { Form, FormActions } from '../../components/form.tsx'
import { t } from '../../lib/i18n/i18n.ts'
import { createLibrary } from './mutations.ts'

type CreateLibraryDialogProps = {
  onClose: () => void
  onCreated: (library: string) => void
}

/** Mounted only while open. */
export function CreateLibraryDialog({ onClose, onCreated }: CreateLibraryDialogProps) {
  const [draft, setDraft] = useState({ name: '', description: '' })
  const creation = useMutation(createLibrary)
  const submit = () => {
    creation.mutate(
      { name: draft.name.trim(), description: draft.description.trim() },
      {
        onSuccess: ({ id }) => {
          onClose()
          onCreated(id)
        },
      },
    )
  }
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('New library')}
      description={t('A private space: only its members know it exists.')}
    >
      <Form onSubmit={submit} error={creation.error}>
        <TextField
          label={t('Name')}
          required
          column="libraries.name"
          // Blank names are rejected by the database.
          pattern=".*\S.*"
          placeholder={t('Reading group, Matter 2217, Field notes…')}
          value={draft.name}
          onValue={(name) => setDraft({ ...draft, name })}
        />
        <TextareaField
          label={t('What is it for?')}
          hint={t('Optional. Members see this.')}
          column="libraries.description"
          value={draft.description}
          onValue={(description) => setDraft({ ...draft, description })}
        />
        <FormActions action={t('Create library')} busy={creation.isPending} onCancel={onClose} />
      </Form>
    </Dialog>
  )
}
