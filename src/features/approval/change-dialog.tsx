import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { TextareaField } from '../../components/field.tsx'
import { Form, FormActions } from '../../components/form.tsx'
import { FailureNotice } from '../../components/notice.tsx'
import { formatMoment } from '../../lib/i18n/format.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { showToast } from '../../lib/ui/toast.ts'
import { decideChange, withdrawChange } from './mutations.ts'
import { listed } from './names.ts'

export type Change = {
  id: string
  created_at: string
  authors: readonly { display_name: string }[]
  returned_words: string | null
  decider: { display_name: string } | null
}

type ChangeDialogProps = {
  library: string
  document: { id: string; title: string }
  change: Change
  mayApprove: boolean
  difference: ReactNode
  onClose: () => void
}

/** Shows a change and decides on it. Mounted only while open. */
export function ChangeDialog({ library, document, change, mayApprove, difference, onClose }: ChangeDialogProps) {
  const [step, setStep] = useState<'difference' | 'return' | 'withdraw'>('difference')
  const [words, setWords] = useState('')
  const { title } = document
  const decision = useMutation({
    ...decideChange,
    onSuccess: (_, { words }) => {
      onClose()
      showToast({
        title:
          words === null
            ? t('The change to “{title}” was approved', { title })
            : t('The change to “{title}” was sent back', { title }),
      })
    },
  })
  const withdrawal = useMutation({ ...withdrawChange, onSuccess: onClose })
  // Names the version shown, so that a newer one isn't approved by mistake.
  const decide = (words: string | null) =>
    decision.mutate({ library, document: document.id, version: change.id, words })
  if (step === 'withdraw') {
    return (
      <ConfirmDialog
        title={t('Withdraw the change?')}
        action={t('Withdraw')}
        busy={withdrawal.isPending}
        error={withdrawal.error}
        onConfirm={() => withdrawal.mutate({ library, document: document.id })}
        onClose={() => setStep('difference')}
      >
        {t('The changes are discarded. What everyone sees stays as it is.')}
      </ConfirmDialog>
    )
  }
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('A change of “{title}”', { title })}
      description={t('By {names}, {when}', {
        names: listed(change.authors.map(({ display_name }) => display_name)),
        when: formatMoment(change.created_at),
      })}
      className="w-[min(64rem,calc(100vw-2rem))]"
    >
      <div className="grid grid-cols-1 gap-4">
        {difference}
        <FailureNotice error={decision.error} />
        {step === 'return' ? (
          <Form onSubmit={() => decide(words.trim())}>
            <TextareaField
              label={t('What should change')}
              hint={t('The note’s writers see it above the text.')}
              autoFocus
              required
              column="versions.returned_words"
              dir="auto"
              value={words}
              onValue={setWords}
            />
            <FormActions
              action={t('Send back')}
              busy={decision.isPending}
              cancel={t('Back')}
              onCancel={() => setStep('difference')}
            />
          </Form>
        ) : (
          <div className="flex flex-wrap justify-end gap-2 max-sm:[&>*]:px-3">
            <Button look="quiet" className="-ms-3 me-auto" onClick={() => setStep('withdraw')}>
              {t('Withdraw…')}
            </Button>
            {mayApprove ? (
              <>
                <Button onClick={() => setStep('return')}>{t('Send back…')}</Button>
                <Button look="primary" busy={decision.isPending} onClick={() => decide(null)}>
                  {t('Approve')}
                </Button>
              </>
            ) : null}
          </div>
        )}
      </div>
    </Dialog>
  )
}
