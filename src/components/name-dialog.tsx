import { useId, useState } from 'react'
import type { Column } from '../../supabase/functions/_shared/facts.ts'
import { Dialog } from './dialog.tsx'
import { TextField } from './field.tsx'
import { Form, FormActions } from './form.tsx'

type NameDialogProps = {
  title: string
  label: string
  initial: string
  column?: Column
  longest?: number
  action: string
  onName: (name: string) => void
  onClose: () => void
}

/** Asks for a name. Mounted only while open. */
export function NameDialog({ title, label, initial, column, longest, action, onName, onClose }: NameDialogProps) {
  const [name, setName] = useState(initial)
  const form = useId()
  const submit = () => {
    onName(name.trim())
    onClose()
  }
  return (
    <Dialog open onOpenChange={onClose} title={title}>
      <Form id={form} onSubmit={submit}>
        <TextField
          label={label}
          required
          {...(column ? { column } : { maxLength: longest })}
          pattern=".*\S.*"
          value={name}
          onValue={setName}
        />
        <FormActions action={action} onCancel={onClose} />
      </Form>
    </Dialog>
  )
}
