import type { ComponentProps } from 'react'
import { t } from '../lib/i18n/i18n.ts'
import { Button } from './button.tsx'
import { FailureNotice } from './notice.tsx'

type FormProps = Omit<ComponentProps<'form'>, 'onSubmit'> & {
  /** Why it couldn't be sent, shown first. */
  error?: unknown
  onSubmit: () => void
}

/** A form that is sent by a script. */
export function Form({ error, onSubmit, className = 'grid gap-5', children, ...form }: FormProps) {
  return (
    <form
      {...form}
      className={className}
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit()
      }}
    >
      <FailureNotice error={error} />
      {children}
    </form>
  )
}

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
