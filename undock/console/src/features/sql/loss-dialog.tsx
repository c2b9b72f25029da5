import { FormDialog } from '../../components/form-dialog.tsx'
import { describeLoss } from './describe-loss.ts'
import type { SizedLoss } from './run-script.ts'

type LossDialogProps = { losses: readonly SizedLoss[]; onConfirm: () => void; onClose: () => void }

/** Asks before a script destroys something. */
export function LossDialog({ losses, onConfirm, onClose }: LossDialogProps) {
  return (
    <FormDialog
      title="Run the script?"
      action="Run"
      look="danger"
      isPending={false}
      error={null}
      onSubmit={onConfirm}
      onClose={onClose}
    >
      <p>The script</p>
      <ul className="grid list-disc gap-1 pl-5">
        {losses.map((loss, index) => {
          const { others } = loss
          // Those of one statement have the same dependents.
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
      <p className="text-ink-soft">
        With “Take all changes back” the script runs on trial, and nothing is kept of what it does.
      </p>
    </FormDialog>
  )
}
