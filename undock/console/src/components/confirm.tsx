import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { Input } from './field.tsx'
import { FormDialog, KeepCopy } from './form-dialog.tsx'

type ConfirmProps = {
  title: string
  /** The button's text, such as "Delete". */
  action: string
  children: ReactNode
  /** A name to type for confirmation, if much would be lost. */
  name?: string
  /** Whether data of the project is deleted, of which a copy can be kept. */
  deletesData?: boolean
  /** @param snapshot Whether the data is kept first. */
  run: (snapshot: boolean) => Promise<unknown>
  onClose: () => void
  /** Called in place of `onClose` after the action. */
  onDone?: () => void
}

/** Asks for confirmation before data is lost. Stays open and shows the reason if the action fails. */
export function Confirm({ title, action, children, name, deletesData, run, onClose, onDone = onClose }: ConfirmProps) {
  const [written, setWritten] = useState('')
  const [isKept, setIsKept] = useState(deletesData ?? false)
  const mutation = useMutation({ mutationFn: () => run(isKept), onSuccess: onDone })
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
      {deletesData ? <KeepCopy checked={isKept} onChecked={setIsKept} /> : null}
    </FormDialog>
  )
}
