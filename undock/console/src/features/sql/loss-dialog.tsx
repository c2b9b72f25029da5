import { useState } from 'react'
import { FormDialog, KeepCopy } from '../../components/form-dialog.tsx'
import { count, counted } from '../../lib/format.ts'
import type { SizedLoss } from './run-script.ts'

/** Describes a loss, to follow "The script". */
function describeLoss({ action, kind, name, column, count: rows, tables }: SizedLoss): string {
  switch (action) {
    case 'drop': {
      if (column !== undefined)
        return `drops the column ${column} of ${name}${rows === null ? ', with all of its values' : ` with ${counted(rows, 'value')}`}`
      const size =
        tables !== null
          ? ` with ${counted(tables, 'table')} and ${counted(rows ?? 0, 'row')}`
          : kind === 'table' && rows !== null
            ? ` with ${counted(rows, 'row')}`
            : kind === 'table' || kind === 'schema'
              ? `, with all that is in it`
              : ''
      return kind === 'owned by' ? `drops all that ${name} owns` : `drops the ${kind} ${name}${size}`
    }
    case 'truncate':
      return `empties the table ${name}: ${rowsOf(rows)} are lost`
    case 'delete':
      return `deletes ${rowsOf(rows)} of ${name}: the statement has no WHERE`
    case 'update':
      return `changes ${rowsOf(rows)} of ${name}: the statement has no WHERE`
  }
}

const rowsOf = (rows: number | null): string =>
  rows === null ? 'all rows' : rows === 1 ? 'the only row' : `all ${count(rows)} rows`

type LossDialogProps = { losses: readonly SizedLoss[]; onConfirm: (snapshot: boolean) => void; onClose: () => void }

/** Asks before a script destroys something. */
export function LossDialog({ losses, onConfirm, onClose }: LossDialogProps) {
  const [snapshot, setSnapshot] = useState(true)
  return (
    <FormDialog
      title="Run the script?"
      action="Run"
      look="danger"
      mutation={{ mutate: () => onConfirm(snapshot) }}
      onClose={onClose}
    >
      <p>The script</p>
      <ul className="grid list-disc gap-1 pl-5">
        {losses.map((loss, index) => {
          const { others } = loss
          // A statement's losses share their dependents.
          const isFirst = losses.findIndex(({ statement }) => statement === loss.statement) === index
          return (
            <li key={index} className="break-words">
              {describeLoss(loss)}
              {isFirst && others.length > 0 ? (
                <>
                  , and by <code>cascade</code>:
                  <ul className="list-[circle] pl-5 text-ink-soft">
                    {others.map((one) => (
                      <li key={one}>{one}</li>
                    ))}
                  </ul>
                </>
              ) : null}
            </li>
          )
        })}
      </ul>
      <KeepCopy checked={snapshot} onChecked={setSnapshot} />
      <p className="text-ink-soft">
        With “Undo all changes” the script runs on trial, and nothing is kept of what it does.
      </p>
    </FormDialog>
  )
}
