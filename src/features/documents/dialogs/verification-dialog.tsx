import { useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { Dialog } from '../../../components/dialog.tsx'
import { TextField } from '../../../components/field.tsx'
import { Form, FormActions } from '../../../components/form.tsx'
import { SelectField } from '../../../components/select.tsx'
import { useAction } from '../../../domain/failure-toast.ts'
import { dayFromToday } from '../../../domain/validity.ts'
import { t } from '../../../lib/i18n/i18n.ts'
import { setVerification } from '../mutations.ts'

const USUAL = 182

type VerificationDialogProps = {
  library: string
  document: string
  until: string | null
  verifier: string
  people: readonly { id: string; name: string }[]
  onClose: () => void
}

/** Sets a verification's date and reviewer. Mounted only while open. */
export function VerificationDialog({ library, document, until, people, onClose, ...initial }: VerificationDialogProps) {
  const [day, setDay] = useState(dayFromToday(USUAL))
  const [verifier, setVerifier] = useState(initial.verifier)
  const setting = useAction(setVerification, { onSuccess: onClose })
  const submit = () => setting.mutate({ library, document, until: day, verifier })
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('Verify this document')}
      description={t(
        'You confirm that it’s valid. Two weeks before the date, the reviewer is asked to look at it again.',
      )}
    >
      <Form onSubmit={submit}>
        <TextField
          label={t('Valid until')}
          type="date"
          required
          min={dayFromToday(0)}
          max="9999-12-31"
          value={day}
          onValue={setDay}
        />
        <SelectField
          label={t('Next reviewer')}
          value={verifier}
          options={people.map(({ id, name }) => ({ value: id, label: name }))}
          onValue={setVerifier}
        />
        <div className="flex flex-wrap items-center justify-between gap-2">
          {until === null ? (
            <span />
          ) : (
            <Button
              look="quiet"
              busy={setting.isPending && setting.variables.until === null}
              onClick={() => setting.mutate({ library, document, until: null, verifier: null })}
            >
              {t('End verification')}
            </Button>
          )}
          <FormActions
            action={t('Verify')}
            busy={setting.isPending && setting.variables.until !== null}
            onCancel={onClose}
          />
        </div>
      </Form>
    </Dialog>
  )
}
