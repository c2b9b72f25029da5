import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Field, Input } from '../../components/field.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'

type SnippetNameProps = {
  title: string
  /** What the button says, such as "Save". */
  action: string
  initial: string
  run: (name: string) => Promise<unknown>
  onClose: () => void
}

/** Asks for the name of a snippet's file. It stays open, with the reason, when that is refused. */
export function SnippetName({ title, action, initial, run, onClose }: SnippetNameProps) {
  const [name, setName] = useState(initial)
  const chosen = name.trim().replace(/\.sql$/i, '')
  const mutation = useMutation({ mutationFn: () => run(chosen), onSuccess: onClose })
  return (
    <FormDialog
      title={title}
      action={action}
      isReady={chosen !== ''}
      isPending={mutation.isPending}
      error={mutation.error}
      onSubmit={() => mutation.mutate()}
      onClose={onClose}
    >
      <Field label="Name" hint={`supabase/snippets/${chosen || 'name'}.sql. A slash puts it into a folder.`}>
        {(id) => <Input id={id} value={name} onChange={({ target }) => setName(target.value)} />}
      </Field>
    </FormDialog>
  )
}
