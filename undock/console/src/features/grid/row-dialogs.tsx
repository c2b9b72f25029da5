import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Checkbox, Field, Select } from '../../components/field.tsx'
import { FormDialog, KeepCopy } from '../../components/form-dialog.tsx'
import { tellDone } from '../../components/toast.tsx'
import type { Cell } from '../../lib/api.ts'
import { refresh } from '../../lib/api.ts'
import { counted } from '../../lib/format.ts'
import type { Column, RelationDetail } from '../catalog.ts'
import { insertRow, keyOf } from './changes.ts'
import { faultOf } from './columns.ts'
import { ValueEditor } from './editors/value-editor.tsx'
import type { Row, RowRequest } from './row-source.ts'
import { useRowChanges } from './use-row-changes.ts'

export type RowTask = 'insert' | 'edit' | 'delete'

type RowDialogsProps = {
  task: RowTask
  request: RowRequest
  /** The marked rows. */
  chosen: readonly Row[]
  onClose: () => void
  onDeleted: () => void
}

/** Inserts a row, or changes or deletes marked rows. */
export function RowDialogs({ task, request, chosen, onClose, onDeleted }: RowDialogsProps) {
  const { relation, as } = request
  const { setColumn, remove } = useRowChanges(request)
  const [snapshot, setSnapshot] = useState(true)
  if (task === 'insert') return <RowForm relation={relation} as={as} onClose={onClose} />
  if (task === 'delete')
    return (
      <FormDialog
        title={`Delete ${counted(chosen.length, 'row')}?`}
        action="Delete"
        look="danger"
        isFirst
        mutation={{ ...remove, mutate: () => remove.mutate({ rows: chosen, snapshot }, { onSuccess: onDeleted }) }}
        onClose={onClose}
      >
        <p>
          {counted(chosen.length, 'row')} of {relation.schema}.{relation.name} will be deleted, along with rows that
          foreign keys delete with them.
        </p>
        <KeepCopy checked={snapshot} onChecked={setSnapshot} />
      </FormDialog>
    )
  return (
    <BulkEdit
      relation={relation}
      count={chosen.length}
      as={as}
      change={setColumn}
      onSave={(column, value) => {
        const index = relation.columns.indexOf(column)
        const rows = chosen.map(({ cells }) => ({
          key: keyOf(relation, cells),
          before: cells[index] ?? null,
          value,
        }))
        setColumn.mutate({ column, rows }, { onSuccess: onClose })
      }}
      onClose={onClose}
    />
  )
}

type RowFormProps = { relation: RelationDetail; as: string | undefined; onClose: () => void }

/** Inserts a row. An empty column gets its default. */
function RowForm({ relation, as, onClose }: RowFormProps) {
  const [values, setValues] = useState<ReadonlyMap<string, Cell>>(new Map())
  const insert = useMutation({
    mutationFn: () => insertRow(relation, values, as),
    onSuccess: () => {
      void refresh(['rows', relation.schema, relation.name])
      tellDone('The row was inserted.')
      onClose()
    },
  })
  const set = (name: string, value: Cell | undefined) => {
    const next = new Map(values)
    if (value === undefined) next.delete(name)
    else next.set(name, value)
    setValues(next)
  }
  return (
    <FormDialog title={`Insert a row into ${relation.name}`} action="Insert" mutation={insert} onClose={onClose} wide>
      {relation.columns
        .filter(({ isGenerated, identity }) => !isGenerated && identity !== 'a')
        .map((column) => (
          <Field key={column.name} label={column.name} hint={`${column.type}${hintOf(column)}`}>
            {(id) => (
              <ValueEditor
                id={id}
                relation={relation}
                column={column}
                as={as}
                value={values.get(column.name) ?? null}
                // An empty text means null unless the user chose the empty text.
                onChange={(value) => set(column.name, value === '' ? undefined : value)}
              />
            )}
          </Field>
        ))}
    </FormDialog>
  )
}

function hintOf({ default: fallback, identity, isNullable }: Column): string {
  if (identity) return ', auto-increment'
  if (fallback !== null) return `, ${fallback} by default`
  return isNullable ? ', null by default' : ', required'
}

type BulkEditProps = {
  relation: RelationDetail
  count: number
  as: string | undefined
  change: { isPending: boolean; error: unknown }
  onSave: (column: Column, value: Cell) => void
  onClose: () => void
}

/** Sets one column of some rows to the same value. */
function BulkEdit({ relation, count, as, change, onSave, onClose }: BulkEditProps) {
  const columns = relation.columns.filter(
    ({ isKey, isGenerated, identity }) => !isKey && !isGenerated && identity !== 'a',
  )
  const [name, setName] = useState(columns[0]?.name)
  const [value, setValue] = useState<Cell>('')
  const [isNull, setIsNull] = useState(false)
  const column = columns.find((one) => one.name === name)
  if (!column)
    return (
      <Dialog
        title={`Edit ${counted(count, 'row')}`}
        onClose={onClose}
        actions={<Button onClick={onClose}>Close</Button>}
      >
        <p>{relation.name} has no column that can be changed in several rows at once.</p>
      </Dialog>
    )
  const isSetNull = isNull && column.isNullable
  // Only text columns can have an empty value.
  const isMissing = !isSetNull && value === '' && column.category !== 'S'
  const fault = isSetNull || isMissing ? null : faultOf(column, value)
  return (
    <FormDialog
      title={`Edit ${counted(count, 'row')}`}
      action={`Change ${counted(count, 'row')}`}
      wide
      isReady={!isMissing && fault === null}
      mutation={{ ...change, mutate: () => onSave(column, isSetNull ? null : value) }}
      onClose={onClose}
    >
      <Select
        label="Column"
        value={column.name}
        onValue={(value) => {
          setName(value)
          setValue('')
        }}
        options={columns.map((one) => one.name)}
      />
      {isSetNull ? null : (
        <Field key={column.name} label="New value" hint={column.type}>
          {(id) => (
            <ValueEditor id={id} relation={relation} column={column} as={as} value={value} onChange={setValue} />
          )}
        </Field>
      )}
      {column.isNullable ? <Checkbox label="Set to null" checked={isNull} onChecked={setIsNull} /> : null}
    </FormDialog>
  )
}
