import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Field } from '../../components/field.tsx'
import { Failure } from '../../components/states.tsx'
import { tellDone } from '../../components/toast.tsx'
import type { Cell } from '../../lib/api.ts'
import type { Column, RelationDetail } from '../catalog.ts'
import { insertRow } from './changes.ts'
import { ValueEditor } from './editors/value-editor.tsx'

type RowFormProps = { relation: RelationDetail; as: string | undefined; onClose: () => void }

/** Inserts a row. A column that stays empty gets its default. */
export function RowForm({ relation, as, onClose }: RowFormProps) {
  const queryClient = useQueryClient()
  const [values, setValues] = useState<ReadonlyMap<string, Cell>>(new Map())
  const insert = useMutation({
    mutationFn: () => insertRow(relation, values, as),
    onSuccess: () => {
      void queryClient.invalidateQueries({ queryKey: ['rows', relation.schema, relation.name] })
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
    <Dialog
      title={`Insert a row into ${relation.name}`}
      onClose={onClose}
      onSubmit={() => insert.mutate()}
      wide
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={insert.isPending}>
            Insert
          </Button>
        </>
      }
    >
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
      {insert.error ? <Failure error={insert.error} /> : null}
    </Dialog>
  )
}

function hintOf({ default: fallback, identity, isNullable }: Column): string {
  if (identity) return ', counts up by itself'
  if (fallback !== null) return `, ${fallback} unless it is given`
  return isNullable ? ', null unless it is given' : ', required'
}
