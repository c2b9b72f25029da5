import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Input } from '../../components/field.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'

type SnippetNameProps = {
  title: string
  /** The button's text, such as "Save". */
  action: string
  initial: string
  run: (name: string) => Promise<unknown>
  onClose: () => void
}

/** Asks for the name of a snippet's file. Stays open and shows the reason if it's refused. */
export function SnippetName({ title, action, initial, run, onClose }: SnippetNameProps) {
  const [name, setName] = useState(initial)
  const chosen = name.trim().replace(/\.sql$/i, '')
  const mutation = useMutation({ mutationFn: () => run(chosen), onSuccess: onClose })
  return (
    <FormDialog title={title} action={action} isReady={chosen !== ''} mutation={mutation} onClose={onClose}>
      <Input
        label="Name"
        hint={`supabase/snippets/${chosen || 'name'}.sql. A slash puts it into a folder.`}
        value={name}
        onValue={setName}
      />
    </FormDialog>
  )
}
