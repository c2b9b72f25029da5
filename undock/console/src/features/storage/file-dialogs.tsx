import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Confirm } from '../../components/confirm.tsx'
import { Field, Input } from '../../components/field.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { tellDone, tellFailure } from '../../components/toast.tsx'
import { counted } from '../../lib/format.ts'
import { deletion } from './browser-state.ts'
import { toFolder } from './keys.ts'
import { MoveDialog } from './move-dialog.tsx'
import { createFolder, deleteEntries, refreshFiles, type View } from './storage.ts'

export type FileTask = { readonly do: 'folder' } | { readonly do: 'move' | 'delete'; readonly keys: readonly string[] }

type FileDialogsProps = {
  view: View
  task: FileTask
  onClose: () => void
  onFolder: (path: string) => void
  /** Called with keys that were moved or deleted. */
  onGone: (keys: readonly string[]) => void
}

/** Makes a folder, or moves or deletes entries. */
export function FileDialogs({ view, task, onClose, onFolder, onGone }: FileDialogsProps) {
  if (task.do === 'folder') return <FolderDialog view={view} onClose={onClose} onCreated={onFolder} />
  const { keys } = task
  if (task.do === 'delete')
    return <DeleteDialog view={view} keys={keys} onClose={onClose} onDeleted={() => onGone(keys)} />
  return (
    <MoveDialog
      view={view}
      keys={keys}
      onClose={onClose}
      onMoved={() => {
        onClose()
        onGone(keys)
      }}
    />
  )
}

type DeleteDialogProps = { view: View; keys: readonly string[]; onClose: () => void; onDeleted: () => void }

function DeleteDialog({ view, keys, onClose, onDeleted }: DeleteDialogProps) {
  const queryClient = useQueryClient()
  const { title, warning } = deletion(keys)
  const run = async () => {
    const deleted = await deleteEntries(view, keys)
    await refreshFiles(queryClient)
    onDeleted()
    if (deleted > 0) tellDone(`${counted(deleted, 'file')} deleted.`)
    else tellFailure(new Error(`No file was deleted: no policy lets ${view.as ?? 'the secret key'} delete them.`))
  }
  return (
    <Confirm title={title} action="Delete" onClose={onClose} run={run}>
      {warning}
    </Confirm>
  )
}

type FolderDialogProps = { view: View; onClose: () => void; onCreated: (folder: string) => void }

function FolderDialog({ view, onClose, onCreated }: FolderDialogProps) {
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
