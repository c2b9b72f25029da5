import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { Failure } from './states.tsx'

type FormDialogProps = {
  title: string
  /** The button's text, such as "Save". */
  action: ReactNode
  look?: 'primary' | 'danger'
  wide?: boolean
  /** Whether the form can be submitted. */
  isReady?: boolean
  isPending: boolean
  /** Why it was refused the last time; the dialog stays open. */
  error: unknown
  onSubmit: () => void
  onClose: () => void
  children: ReactNode
}

/** A dialog that does one thing, or is cancelled. */
export function FormDialog(props: FormDialogProps) {
  const { action, look = 'primary', isReady = true, isPending, error, onSubmit, onClose, children, ...dialog } = props
  const isOff = isPending || !isReady
  return (
    <Dialog
      {...dialog}
      onClose={onClose}
      onSubmit={() => {
        if (!isOff) onSubmit()
      }}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look={look} disabled={isOff}>
            {action}
          </Button>
        </>
      }
    >
      {children}
      {error ? <Failure error={error} /> : null}
    </Dialog>
  )
}
