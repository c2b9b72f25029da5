import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { Field, Input } from './field.tsx'
import { Failure } from './states.tsx'

type ConfirmProps = {
  title: string
  /** What the button says, such as "Delete". */
  action: string
  children: ReactNode
  /** A name that a person must write, where much would be lost. */
  name?: string
  run: () => Promise<unknown>
  onClose: () => void
}

/** Asks before something is lost. It stays open, with the reason, when that is refused. */
export function Confirm({ title, action, children, name, run, onClose }: ConfirmProps) {
  const [written, setWritten] = useState('')
  const mutation = useMutation({ mutationFn: run, onSuccess: onClose })
  const isReady = name === undefined || written === name
  return (
    <Dialog
      title={title}
      onClose={onClose}
      onSubmit={() => {
        if (isReady) mutation.mutate()
      }}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="danger" disabled={!isReady || mutation.isPending}>
            {action}
          </Button>
        </>
      }
    >
      <div>{children}</div>
      {name === undefined ? null : (
        <Field label={`Write ${name} to confirm`}>
          {(id) => <Input id={id} value={written} onChange={({ target }) => setWritten(target.value)} />}
        </Field>
      )}
      {mutation.error ? <Failure error={mutation.error} /> : null}
    </Dialog>
  )
}
