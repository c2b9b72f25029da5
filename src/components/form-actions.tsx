import { t } from '../lib/i18n/i18n.ts'
import { Button } from './button.tsx'

type FormActionsProps = {
  /** What the form does. */
  action: string
  /** Whether it does so now. */
  busy?: boolean
  look?: 'primary' | 'danger'
  /** Another word for leaving things as they are. */
  cancel?: string
  onCancel: () => void
}

/** The end of a form: it is sent, or left. */
export const FormActions = ({ action, busy = false, look = 'primary', cancel, onCancel }: FormActionsProps) => (
  <div className="flex justify-end gap-2">
    <Button look="quiet" onClick={onCancel}>
      {cancel ?? t('Cancel')}
    </Button>
    <Button type="submit" look={look} busy={busy}>
      {action}
    </Button>
  </div>
)
