import type { Person } from '../../domain/field-conditions.ts'
import type { Field, FieldInput } from '../../domain/fields.ts'
import type { Column } from '../../features/documents/shelf/fact-columns.tsx'
import type { Columns } from '../../features/fields/columns.ts'
import { ColumnsDialog } from '../../features/fields/columns-dialog.tsx'
import { FieldsDialog } from '../../features/fields/fields-dialog.tsx'
import { FillDialog } from '../../features/fields/fill-dialog.tsx'
import { t } from '../../lib/i18n/i18n.ts'

export type FieldTask = 'fields' | 'columns' | { fill: readonly string[] }

type FieldDialogsProps = {
  task: FieldTask
  library: string
  collection: Parameters<typeof FieldsDialog>[0]['collection']
  fields: readonly Field[]
  people: readonly Person[]
  view: { available: readonly Column[]; shown: Columns } | undefined
  onColumns: (columns: Columns | undefined) => void
  onSet: (documents: readonly string[], field: Field, value: FieldInput) => void
  onClose: () => void
}

/** Mounted only while one is open. */
export function FieldDialogs(props: FieldDialogsProps) {
  const { task, library, collection, fields, people, view, onColumns, onSet, onClose } = props
  if (task === 'fields') return <FieldsDialog library={library} collection={collection} onClose={onClose} />
  if (task === 'columns') {
    return view ? <ColumnsDialog {...view} onColumns={onColumns} onClose={onClose} /> : null
  }
  return (
    <FillDialog
      title={t('Set a field of the selection')}
      fields={fields}
      people={people}
      onSet={(field, value) => onSet(task.fill, field, value)}
      onClose={onClose}
    />
  )
}
