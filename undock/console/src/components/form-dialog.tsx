import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { Checkbox } from './field.tsx'
import { Failure } from './states.tsx'

type FormDialogProps = {
  title: string
  /** The button's text, such as "Save". */
  action: ReactNode
  look?: 'primary' | 'danger'
  wide?: boolean
  /** Whether the form can be submitted. */
  isReady?: boolean
  /** Whether the button has the initial focus despite the fields. */
  isFirst?: boolean
  cancel?: string
  /** Other buttons. */
  more?: ReactNode
  /** What the button does. If it's refused, the dialog stays open and shows why. */
  mutation: { isPending?: boolean; error?: unknown; mutate: () => void }
  onClose: () => void
  children: ReactNode
}

/** A dialog with one action and Cancel. */
export function FormDialog(props: FormDialogProps) {
  const {
    action,
    look = 'primary',
    isReady = true,
    isFirst,
    cancel = 'Cancel',
    more,
    mutation,
    onClose,
    children,
    ...dialog
  } = props
  const isOff = mutation.isPending || !isReady
  return (
    <Dialog
      {...dialog}
      onClose={onClose}
      onSubmit={() => {
        if (!isOff) mutation.mutate()
      }}
      actions={
        <>
          <Button onClick={onClose}>{cancel}</Button>
          {more}
          <Button type="submit" look={look} disabled={isOff} data-first={isFirst}>
            {action}
          </Button>
        </>
      }
    >
      {children}
      <Failure error={mutation.error} />
    </Dialog>
  )
}

/** Asks whether to keep a copy of the data before some is deleted. */
export const KeepCopy = (props: { checked: boolean; onChecked: (isChecked: boolean) => void }) => (
  <Checkbox label="Keep a copy of the data for a day first: undock undo restores it" {...props} />
)
