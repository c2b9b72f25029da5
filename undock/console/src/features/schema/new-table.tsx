import { useNavigate } from '@tanstack/react-router'
import { Plus, Trash2, UserRound } from 'lucide-react'
import { useState } from 'react'
import { Button, IconButton } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Checkbox, Field, Input } from '../../components/field.tsx'
import { ApplyDialog } from '../migrations/apply-dialog.tsx'
import { ColumnFields } from './column-fields.tsx'
import { type ColumnDraft, createTableSql, EMPTY_COLUMN, NEW_TABLE, OWNER_COLUMN } from './table-sql.ts'

/** Describes a table; its SQL is shown before it runs. */
export function NewTable({ schema, onClose }: { schema: string; onClose: () => void }) {
  const navigate = useNavigate()
  const [draft, setDraft] = useState({ ...NEW_TABLE, schema })
  const [isReady, setIsReady] = useState(false)
  const setColumn = (at: number, column: ColumnDraft) => setDraft({ ...draft, columns: draft.columns.with(at, column) })
  const add = (column: ColumnDraft) => setDraft({ ...draft, columns: [...draft.columns, column] })
  if (isReady)
    return (
      <ApplyDialog
        title={`Create the table ${draft.name}`}
        sql={createTableSql(draft)}
        name={`create_${draft.name}`}
        onClose={() => setIsReady(false)}
        onApplied={() => {
          void navigate({ to: '/tables/$schema/$name', params: { schema: draft.schema, name: draft.name } })
        }}
      />
    )
  return (
    <Dialog
      title={`New table in ${schema}`}
      wide
      onClose={onClose}
      onSubmit={() => setIsReady(true)}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary">
            Show the SQL
          </Button>
        </>
      }
    >
      <Field label="Name">
        {(id) => (
          <Input
            id={id}
            required
            value={draft.name}
            onChange={({ target }) => setDraft({ ...draft, name: target.value })}
          />
        )}
      </Field>
      <Field label="Description">
        {(id) => (
          <Input
            id={id}
            value={draft.comment}
            onChange={({ target }) => setDraft({ ...draft, comment: target.value })}
          />
        )}
      </Field>
      <Checkbox
        label="Row security: through the API nobody sees a row until a policy allows it"
        checked={draft.rowSecurity}
        onChange={({ target }) => setDraft({ ...draft, rowSecurity: target.checked })}
      />
      <h3 className="mt-2 font-semibold">Columns</h3>
      {draft.columns.map((column, at) => (
        <fieldset
          key={at}
          aria-label={`Column ${column.name || at + 1}`}
          className="relative rounded-lg border bg-raised p-3 pr-12"
        >
          <ColumnFields draft={column} onChange={(next) => setColumn(at, next)} />
          <IconButton
            label={`Remove the column ${column.name || at + 1}`}
            className="absolute top-2 right-2"
            onClick={() => setDraft({ ...draft, columns: draft.columns.filter((_, n) => n !== at) })}
          >
            <Trash2 aria-hidden />
          </IconButton>
        </fieldset>
      ))}
      <div className="flex flex-wrap gap-2">
        <Button onClick={() => add(EMPTY_COLUMN)}>
          <Plus aria-hidden />
          Add a column
        </Button>
        {draft.columns.some(({ name }) => name === OWNER_COLUMN.name) ? null : (
          <Button
            title="user_id: whoever inserts a row. Policies can then allow users their own rows."
            onClick={() => add(OWNER_COLUMN)}
          >
            <UserRound aria-hidden />
            Add the owner of a row
          </Button>
        )}
      </div>
    </Dialog>
  )
}
