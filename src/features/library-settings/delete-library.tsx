import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { TextField } from '../../components/field.tsx'
import { Form, FormActions } from '../../components/form.tsx'
import { t } from '../../lib/i18n/i18n.ts'
import { deleteLibrary } from './mutations.ts'

type DeleteLibraryProps = { library: { id: string; name: string }; onDeleted: () => void }

/** Irreversible, so the name has to be typed. */
export function DeleteLibrary({ library, onDeleted }: DeleteLibraryProps) {
  const [isOpen, setOpen] = useState(false)
  const [name, setName] = useState('')
  const [mistaken, setMistaken] = useState(false)
  const deletion = useMutation({ ...deleteLibrary, onSuccess: onDeleted })
  const submit = () => {
    const same = name.trim() === library.name
    setMistaken(!same)
    if (same) deletion.mutate(library.id)
  }
  return (
    <>
      <Button look="danger" onClick={() => setOpen(true)}>
        {t('Delete this library…')}
      </Button>
      <Dialog
        open={isOpen}
        onOpenChange={setOpen}
        title={t('Delete “{name}”?', { name: library.name })}
        description={t('Its documents, comments and members are permanently deleted for everyone. Export it first.')}
      >
        <Form onSubmit={submit} error={deletion.error}>
          <TextField
            label={t('Type its name to continue')}
            error={
              mistaken ? t('The name doesn’t match. The library is called {name}.', { name: library.name }) : undefined
            }
            required
            value={name}
            onValue={setName}
          />
          <FormActions
            action={t('Delete permanently')}
            busy={deletion.isPending}
            look="danger"
            cancel={t('Keep it')}
            onCancel={() => setOpen(false)}
          />
        </Form>
      </Dialog>
    </>
  )
}
