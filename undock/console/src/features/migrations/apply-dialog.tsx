import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Field, Input, TextArea } from '../../components/field.tsx'
import { Failure } from '../../components/states.tsx'
import { tellDone } from '../../components/toast.tsx'
import { api } from '../../lib/api.ts'

type ApplyDialogProps = {
  title: string
  /** The proposed SQL; a person may change it. */
  sql: string
  /** The proposed name of the migration, such as `add_books_price`. */
  name: string
  onApplied: () => void
  onClose: () => void
}

/** Shows the SQL of a change of the schema; then applies it and writes it as a file of supabase/migrations, both or none. */
export function ApplyDialog({ title, sql, name, onApplied, onClose }: ApplyDialogProps) {
  const queryClient = useQueryClient()
  const [script, setScript] = useState(sql)
  const [chosen, setChosen] = useState(() => fileName(name))
  const apply = useMutation({
    mutationFn: () => api<{ path: string }>('/migrations', { method: 'POST', body: { name: chosen, script } }),
    onSuccess: async ({ path }) => {
      await queryClient.invalidateQueries()
      tellDone(`Applied, and written to ${path}.`)
      onApplied()
    },
  })
  return (
    <Dialog
      title={title}
      wide
      onClose={onClose}
      onSubmit={() => apply.mutate()}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={apply.isPending || script.trim() === '' || chosen === ''}>
            Apply and write the migration
          </Button>
        </>
      }
    >
      <Field label="SQL">
        {(id) => (
          <TextArea
            id={id}
            rows={Math.min(18, script.split('\n').length + 2)}
            className="font-mono text-xs"
            value={script}
            onChange={({ target }) => setScript(target.value)}
          />
        )}
      </Field>
      <Field
        label="Name of the migration"
        hint={`supabase/migrations/<time>_${chosen || 'name'}.sql. Commit this file: other machines and hosted projects get the change by it.`}
      >
        {(id) => <Input id={id} value={chosen} onChange={({ target }) => setChosen(fileName(target.value))} />}
      </Field>
      {apply.error ? <Failure error={apply.error} /> : null}
    </Dialog>
  )
}

/** Letters, digits and underscores alone, which every file system takes. */
const fileName = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9_]+/g, '_')
    .slice(0, 100)
