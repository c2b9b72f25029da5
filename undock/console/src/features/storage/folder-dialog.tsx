import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Field, Input } from '../../components/field.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { toFolder } from './keys.ts'
import { createFolder, refreshFiles, type View } from './storage.ts'

type FolderDialogProps = { view: View; onClose: () => void; onCreated: (folder: string) => void }

export function FolderDialog({ view, onClose, onCreated }: FolderDialogProps) {
  const queryClient = useQueryClient()
  const [name, setName] = useState('')
  const folder = view.folder + toFolder(name)
  const create = useMutation({
    mutationFn: () => createFolder(view, folder),
    onSuccess: async () => {
      await refreshFiles(queryClient)
      onCreated(folder)
    },
  })
  return (
    <FormDialog
      title="New folder"
      action="Create"
      isReady={toFolder(name) !== ''}
      isPending={create.isPending}
      error={create.error}
      onSubmit={() => create.mutate()}
      onClose={onClose}
    >
      <Field label="Name" hint={view.folder ? `In ${view.bucket}/${view.folder}` : `At the top of ${view.bucket}`}>
        {(id) => <Input id={id} value={name} onChange={({ target }) => setName(target.value)} />}
      </Field>
    </FormDialog>
  )
}
