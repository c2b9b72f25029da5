import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { Input } from './field.tsx'
import { FormDialog } from './form-dialog.tsx'

type ConfirmProps = {
  title: string
  /** The button's text, such as "Delete". */
  action: string
  children: ReactNode
  /** A name to type for confirmation, if much would be lost. */
  name?: string
  run: () => Promise<unknown>
  onClose: () => void
}

/** Asks for confirmation before data is lost. Stays open and shows the reason if the action fails. */
export function Confirm({ title, action, children, name, run, onClose }: ConfirmProps) {
  const [written, setWritten] = useState('')
  const mutation = useMutation({ mutationFn: run, onSuccess: onClose })
  return (
    <FormDialog
      title={title}
      action={action}
      look="danger"
      isReady={name === undefined || written === name}
      mutation={mutation}
      onClose={onClose}
    >
      <div>{children}</div>
      {name === undefined ? null : <Input label={`Type ${name} to confirm`} value={written} onValue={setWritten} />}
    </FormDialog>
  )
}
