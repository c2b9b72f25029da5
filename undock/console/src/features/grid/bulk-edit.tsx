import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Checkbox, Field, Select } from '../../components/field.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import type { Cell } from '../../lib/api.ts'
import { counted } from '../../lib/format.ts'
import type { Column, RelationDetail } from '../catalog.ts'
import { faultOf } from './columns.ts'
import { ValueEditor } from './editors/value-editor.tsx'

type BulkEditProps = {
  relation: RelationDetail
  count: number
  as: string | undefined
  error: unknown
  isPending: boolean
  onSave: (column: Column, value: Cell) => void
  onClose: () => void
}

/** Gives some rows the same value in one column. */
export function BulkEdit({ relation, count, as, error, isPending, onSave, onClose }: BulkEditProps) {
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
  // Only texts can be empty.
  const isMissing = !isSetNull && value === '' && column.category !== 'S'
  const fault = isSetNull || isMissing ? null : faultOf(column, value)
  return (
    <FormDialog
      title={`Edit ${counted(count, 'row')}`}
      action={`Change ${counted(count, 'row')}`}
      wide
      isReady={!isMissing && fault === null}
      isPending={isPending}
      error={error}
      onSubmit={() => onSave(column, isSetNull ? null : value)}
      onClose={onClose}
    >
      <Field label="Column">
        {(id) => (
          <Select
            id={id}
            value={column.name}
            onChange={({ target }) => {
              setName(target.value)
              setValue('')
            }}
          >
            {columns.map((one) => (
              <option key={one.name}>{one.name}</option>
            ))}
          </Select>
        )}
      </Field>
      {isSetNull ? null : (
        <Field key={column.name} label="New value" hint={column.type}>
          {(id) => (
            <ValueEditor id={id} relation={relation} column={column} as={as} value={value} onChange={setValue} />
          )}
        </Field>
      )}
      {column.isNullable ? (
        <Checkbox label="Set to null" checked={isNull} onChange={({ target }) => setIsNull(target.checked)} />
      ) : null}
    </FormDialog>
  )
}
