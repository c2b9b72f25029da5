import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import type { Person } from '../../domain/field-conditions.ts'
import type { FieldFilter } from '../../domain/field-filter.ts'
import type { Field, FieldInput } from '../../domain/fields.ts'
import type { Column } from '../../features/documents/shelf/fact-columns.tsx'
import type { Columns } from '../../features/fields/columns.ts'
import { ColumnsDialog } from '../../features/fields/columns-dialog.tsx'
import { FieldFilterList } from '../../features/fields/field-filter-list.tsx'
import { FieldsDialog } from '../../features/fields/fields-dialog.tsx'
import { FillDialog } from '../../features/fields/fill-dialog.tsx'
import { t } from '../../lib/i18n/i18n.ts'

/** What is open about the fields of a collection. */
export type FieldTask = 'fields' | 'columns' | 'filters' | { fill: readonly string[] }

type FieldDialogsProps = {
  task: FieldTask
  library: string
  collection: Parameters<typeof FieldsDialog>[0]['collection']
  fields: readonly Field[]
  people: readonly Person[]
  filters: readonly FieldFilter[] | undefined
  view: { available: readonly Column[]; shown: Columns } | undefined
  onFilters: (filters: FieldFilter[] | undefined) => void
  onColumns: (columns: Columns | undefined) => void
  onSet: (documents: readonly string[], field: Field, value: FieldInput) => void
  onClose: () => void
}

/** Mounted while one of them is open. */
export function FieldDialogs(props: FieldDialogsProps) {
  const { task, library, collection, fields, people, view, onColumns, onSet, onClose } = props
  if (task === 'fields') return <FieldsDialog library={library} collection={collection} onClose={onClose} />
  if (task === 'columns') {
    return view ? <ColumnsDialog {...view} onColumns={onColumns} onClose={onClose} /> : null
  }
  if (task === 'filters') {
    return (
      <Dialog open onOpenChange={onClose} title={t('Filter by field')}>
        <div className="grid gap-4">
          <FieldFilterList fields={fields} people={people} filters={props.filters} onFilters={props.onFilters} />
          <Button look="primary" onClick={onClose}>
            {t('Done')}
          </Button>
        </div>
      </Dialog>
    )
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
