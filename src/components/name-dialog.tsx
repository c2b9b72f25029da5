import { type FormEvent, useId, useState } from 'react'
import type { Column } from '../../supabase/functions/_shared/facts.ts'
import { Dialog } from './dialog.tsx'
import { Field } from './field.tsx'
import { FormActions } from './form-actions.tsx'
import { Input } from './input.tsx'

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
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onName(name.trim())
    onClose()
  }
  return (
    <Dialog open onOpenChange={onClose} title={title}>
      <form id={form} onSubmit={submit} className="grid gap-5">
        <Field label={label}>
          {(control) => (
            <Input
              {...control}
              required
              {...(column ? { column } : { maxLength: longest })}
              pattern=".*\S.*"
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
          )}
        </Field>
        <FormActions action={action} onCancel={onClose} />
      </form>
    </Dialog>
  )
}
