import type { ReactNode } from 'react'
import { t } from '../lib/i18n/i18n.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { FailureNotice } from './notice.tsx'

type ConfirmDialogProps = {
  open?: boolean
  title: string
  action: string
  busy?: boolean
  error?: Error | null
  onConfirm: () => void
  onClose: () => void
  children: ReactNode
}

export function ConfirmDialog(props: ConfirmDialogProps) {
  const { open = true, title, action, busy = false, error = null, onConfirm, onClose, children } = props
  return (
    <Dialog open={open} onOpenChange={onClose} title={title} description={children}>
      <div className="grid gap-5">
        <FailureNotice error={error} />
        <div className="flex justify-end gap-2">
          <Button look="quiet" onClick={onClose}>
            {t('Cancel')}
          </Button>
          <Button look="danger" busy={busy} onClick={onConfirm}>
            {action}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
