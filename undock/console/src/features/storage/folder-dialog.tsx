import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Field, Input } from '../../components/field.tsx'
import { Failure } from '../../components/states.tsx'
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
    <Dialog
      title="New folder"
      onClose={onClose}
      onSubmit={() => create.mutate()}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={create.isPending || toFolder(name) === ''}>
            Create
          </Button>
        </>
      }
    >
      <Field label="Name" hint={view.folder ? `In ${view.bucket}/${view.folder}` : `At the top of ${view.bucket}`}>
        {(id) => <Input id={id} value={name} onChange={({ target }) => setName(target.value)} />}
      </Field>
      {create.error ? <Failure error={create.error} /> : null}
    </Dialog>
  )
}
