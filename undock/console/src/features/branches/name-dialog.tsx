import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Checkbox, Field, Input, Select } from '../../components/field.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import type { BranchChange, RunningBranches } from './branches.ts'

type DialogProps = {
  branches: RunningBranches
  /** @throws {ApiError} */
  run: (change: BranchChange) => Promise<void>
  onClose: () => void
}

/** Creates a branch with a copy of another branch's data. */
export function NewBranch({ branches: { branches, restartRefusal, git }, run, onClose }: DialogProps) {
  const [name, setName] = useState('')
  const [from, setFrom] = useState(() => branches.find(({ current }) => current)?.name ?? '')
  const [isSwitched, setIsSwitched] = useState(restartRefusal === null && git === null)
  const create = useMutation({
    mutationFn: () =>
      run(
        isSwitched
          ? { do: 'switch', name: name.trim(), create: true, from }
          : { do: 'create', name: name.trim(), from },
      ),
    onSuccess: onClose,
  })
  return (
    <FormDialog
      title="New branch"
      action={create.isPending ? 'Copying …' : 'Create'}
      isReady={name.trim() !== ''}
      isPending={create.isPending}
      error={create.error}
      onSubmit={() => create.mutate()}
      onClose={onClose}
    >
      <Field label="Name" hint="Such as that of a branch of git.">
        {(id) => <Input id={id} required value={name} onChange={({ target }) => setName(target.value)} />}
      </Field>
      <Field label="Copy the data of" hint="Rows, users, files and emails.">
        {(id) => (
          <Select id={id} value={from} onChange={({ target }) => setFrom(target.value)}>
            {branches.map((one) => (
              <option key={one.name}>{one.name}</option>
            ))}
          </Select>
        )}
      </Field>
      <Checkbox
        label="Switch to it"
        checked={isSwitched}
        disabled={restartRefusal !== null || git !== null}
        onChange={({ target }) => setIsSwitched(target.checked)}
      />
    </FormDialog>
  )
}

/** Keeps a copy of the current data under a name. */
export function TakeSnapshot({ branches: { branches }, run, onClose }: DialogProps) {
  const [name, setName] = useState('')
  const save = useMutation({ mutationFn: () => run({ do: 'save-snapshot', name: name.trim() }), onSuccess: onClose })
  return (
    <FormDialog
      title="Take a snapshot"
      action={save.isPending ? 'Copying …' : 'Take it'}
      isReady={name.trim() !== ''}
      isPending={save.isPending}
      error={save.error}
      onSubmit={() => save.mutate()}
      onClose={onClose}
    >
      <p className="text-[13px] text-ink-soft">
        It keeps the rows, users, files and emails of {branches.find(({ current }) => current)?.name}, to go back to.
      </p>
      <Field label="Name">
        {(id) => (
          <Input
            id={id}
            required
            placeholder="before-import"
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
        )}
      </Field>
    </FormDialog>
  )
}
