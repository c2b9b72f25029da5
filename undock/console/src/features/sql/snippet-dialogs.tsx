import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Field, Input } from '../../components/field.tsx'
import { Failure } from '../../components/states.tsx'

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
  const isReady = chosen !== '' && !mutation.isPending
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
          <Button type="submit" look="primary" disabled={!isReady}>
            {action}
          </Button>
        </>
      }
    >
      <Field label="Name" hint={`supabase/snippets/${chosen || 'name'}.sql. A slash puts it into a folder.`}>
        {(id) => <Input id={id} value={name} onChange={({ target }) => setName(target.value)} />}
      </Field>
      {mutation.error ? <Failure error={mutation.error} /> : null}
    </Dialog>
  )
}
