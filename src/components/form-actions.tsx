import { t } from '../lib/i18n/i18n.ts'
import { Button } from './button.tsx'

type FormActionsProps = {
  action: string
  busy?: boolean
  look?: 'primary' | 'danger'
  cancel?: string
  onCancel: () => void
}

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
