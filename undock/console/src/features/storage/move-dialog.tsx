import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Field, Input, Select } from '../../components/field.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { tellDone } from '../../components/toast.tsx'
import { count, counted } from '../../lib/format.ts'
import { folderOf, isFolder, nameOf, toFolder } from './keys.ts'
import { bucketsQuery, moveEntries, refreshFiles, type View } from './storage.ts'

type MoveDialogProps = { view: View; keys: readonly string[]; onClose: () => void; onMoved: () => void }

/** Moves files and folders; a single one can get another name. */
export function MoveDialog({ view, keys, onClose, onMoved }: MoveDialogProps) {
  const queryClient = useQueryClient()
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
      await refreshFiles(queryClient)
      tellDone(`${counted(moved, 'file')} moved.`)
      onMoved()
    },
    // Some may have moved before one was refused.
    onError: () => refreshFiles(queryClient),
  })
  return (
    <FormDialog
      title={single ? `Move or rename ${nameOf(first)}` : `Move ${count(keys.length)} entries`}
      action="Move"
      isReady={!(single && name.trim() === '')}
      isPending={move.isPending}
      error={move.error}
      onSubmit={() => move.mutate()}
      onClose={onClose}
    >
      {single ? (
        <Field label="Name">
          {(id) => <Input id={id} value={name} onChange={({ target }) => setName(target.value)} />}
        </Field>
      ) : null}
      <Field label="Folder" hint="Such as a/b. Empty: the top of the bucket. A folder that does not exist is created.">
        {(id) => <Input id={id} value={folder} onChange={({ target }) => setFolder(target.value)} />}
      </Field>
      <Field label="Bucket">
        {(id) => (
          <Select id={id} value={bucket} onChange={({ target }) => setBucket(target.value)}>
            {(buckets.data ?? [{ id: view.bucket }]).map((one) => (
              <option key={one.id}>{one.id}</option>
            ))}
          </Select>
        )}
      </Field>
    </FormDialog>
  )
}
