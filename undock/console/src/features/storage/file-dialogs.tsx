import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Confirm } from '../../components/confirm.tsx'
import { Input, Select } from '../../components/field.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { tellDone, tellFailure } from '../../components/toast.tsx'
import { count, counted } from '../../lib/format.ts'
import { deletion } from './browser-state.ts'
import { folderOf, isFolder, nameOf, toFolder } from './keys.ts'
import { bucketsQuery, createFolder, deleteEntries, moveEntries, refreshFiles, type View } from './storage.ts'

export type FileTask = { readonly do: 'folder' } | { readonly do: 'move' | 'delete'; readonly keys: readonly string[] }

type FileDialogsProps = {
  view: View
  task: FileTask
  onClose: () => void
  onFolder: (path: string) => void
  /** Called with keys that were moved or deleted. */
  onGone: (keys: readonly string[]) => void
}

/** Creates a folder, or moves or deletes entries. */
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
  const { title, warning } = deletion(keys)
  const run = async (snapshot: boolean) => {
    const deleted = await deleteEntries(view, keys, snapshot)
    await refreshFiles()
    onDeleted()
    if (deleted > 0) tellDone(`${counted(deleted, 'file')} deleted.`)
    else tellFailure(new Error(`No file was deleted: no policy lets ${view.as ?? 'the secret key'} delete them.`))
  }
  return (
    <Confirm title={title} action="Delete" deletesData onClose={onClose} run={run}>
      {warning}
    </Confirm>
  )
}

type FolderDialogProps = { view: View; onClose: () => void; onCreated: (folder: string) => void }

function FolderDialog({ view, onClose, onCreated }: FolderDialogProps) {
  const [name, setName] = useState('')
  const folder = view.folder + toFolder(name)
  const create = useMutation({
    mutationFn: () => createFolder(view, folder),
    onSuccess: async () => {
      await refreshFiles()
      onCreated(folder)
    },
  })
  return (
    <FormDialog title="New folder" action="Create" isReady={toFolder(name) !== ''} mutation={create} onClose={onClose}>
      <Input
        label="Name"
        hint={view.folder ? `In ${view.bucket}/${view.folder}` : `At the top of ${view.bucket}`}
        value={name}
        onValue={setName}
      />
    </FormDialog>
  )
}

type MoveDialogProps = { view: View; keys: readonly string[]; onClose: () => void; onMoved: () => void }

/** Moves files and folders; a single one can be renamed. */
function MoveDialog({ view, keys, onClose, onMoved }: MoveDialogProps) {
  const buckets = useQuery(bucketsQuery(view.as))
  const [first = ''] = keys
  const single = keys.length === 1
  const [bucket, setBucket] = useState(view.bucket)
  const [folder, setFolder] = useState(folderOf(first))
  const [name, setName] = useState(nameOf(first))
  const move = useMutation({
    mutationFn: () =>
      moveEntries(
        view,
        keys.map((key) => ({
          key,
          bucket,
          to: `${toFolder(folder)}${single ? name.trim() : nameOf(key)}${isFolder(key) ? '/' : ''}`,
        })),
      ),
    onSuccess: async (moved) => {
      await refreshFiles()
      tellDone(`${counted(moved, 'file')} moved.`)
      onMoved()
    },
    // Some may have moved before one was refused.
    onError: () => refreshFiles(),
  })
  return (
    <FormDialog
      title={single ? `Move or rename ${nameOf(first)}` : `Move ${count(keys.length)} entries`}
      action="Move"
      isReady={!(single && name.trim() === '')}
      mutation={move}
      onClose={onClose}
    >
      {single ? <Input label="Name" value={name} onValue={setName} /> : null}
      <Input
        label="Folder"
        hint="Such as a/b. Empty: the top of the bucket. A folder that does not exist is created."
        value={folder}
        onValue={setFolder}
      />
      <Select
        label="Bucket"
        value={bucket}
        onValue={setBucket}
        options={(buckets.data ?? [{ id: view.bucket }]).map((one) => one.id)}
      />
    </FormDialog>
  )
}
