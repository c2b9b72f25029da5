import { ArrowDown, ArrowUp } from 'lucide-react'
import { Button, IconButton } from '../../components/button.tsx'
import { LabelledCheckbox } from '../../components/checkbox.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { t } from '../../lib/i18n/i18n.ts'
import { type Columns, movedColumn, toggledColumn } from './columns.ts'

type ColumnsDialogProps = {
  available: readonly { column: string; label: string }[]
  shown: Columns
  onColumns: (columns: Columns | undefined) => void
  onClose: () => void
}

/** Chooses and orders a list's columns; changes apply immediately. Mounted only while open. */
export function ColumnsDialog({ available, shown, onColumns, onClose }: ColumnsDialogProps) {
  const labelOf = (column: string) => available.find((one) => one.column === column)?.label ?? ''
  const hidden = available.filter(({ column }) => !shown.some((one) => one.column === column))
  const entry = (column: string, label: string, on: boolean) => (
    <LabelledCheckbox
      className="min-h-9 min-w-0 flex-1"
      checked={on}
      onChange={(checked) => onColumns(toggledColumn(shown, column, checked))}
    >
      <span className="truncate">{label}</span>
    </LabelledCheckbox>
  )
  return (
    <Dialog open onOpenChange={onClose} title={t('Columns')} description={t('Only you see this.')}>
      <ul aria-label={t('Columns')} className="grid">
        {shown.map(({ column }, index) => (
          <li key={column} className="flex items-center gap-1">
            {entry(column, labelOf(column), true)}
            {([-1, 1] as const).map((by) => (
              <IconButton
                key={by}
                icon={by === -1 ? ArrowUp : ArrowDown}
                label={
                  by === -1
                    ? t('Move {name} up', { name: labelOf(column) })
                    : t('Move {name} down', { name: labelOf(column) })
                }
                disabled={index + by < 0 || index + by >= shown.length}
                onClick={() => onColumns(movedColumn(shown, index, by))}
              />
            ))}
          </li>
        ))}
        {hidden.map(({ column, label }) => (
          <li key={column} className="flex items-center">
            {entry(column, label, false)}
          </li>
        ))}
      </ul>
      <div className="mt-4 flex justify-between gap-2">
        <Button look="quiet" onClick={() => onColumns(undefined)}>
          {t('Reset')}
        </Button>
        <Button look="primary" onClick={onClose}>
          {t('Done')}
        </Button>
      </div>
    </Dialog>
  )
}
