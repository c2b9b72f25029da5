import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { TextField } from '../../components/field.tsx'
import { Form, FormActions } from '../../components/form.tsx'
import { t } from '../../lib/i18n/i18n.ts'
import { deleteAccount } from './mutations.ts'

export function DeleteAccount({ email }: { email: string }) {
  const [isOpen, setOpen] = useState(false)
  const [typed, setTyped] = useState('')
  const [mistaken, setMistaken] = useState(false)
  const deletion = useMutation(deleteAccount)
  const submit = () => {
    const same = typed.trim().toLowerCase() === email.toLowerCase()
    setMistaken(!same)
    if (same) deletion.mutate()
  }
  return (
    <>
      <Button look="danger" onClick={() => setOpen(true)}>
        {t('Delete my account…')}
      </Button>
      <Dialog
        open={isOpen}
        onOpenChange={setOpen}
        title={t('Delete your account?')}
        description={t(
          'Immediately and permanently, along with libraries that have no other members. What you wrote in other libraries stays there without your name.',
        )}
      >
        <Form onSubmit={submit} error={deletion.error}>
          <TextField
            label={t('Type your email to continue')}
            error={mistaken ? t('That isn’t your email.') : undefined}
            type="email"
            required
            value={typed}
            onValue={setTyped}
          />
          <FormActions
            action={t('Delete permanently')}
            busy={deletion.isPending}
            look="danger"
            cancel={t('Keep it')}
            onCancel={() => setOpen(false)}
          />
        </Form>
      </Dialog>
    </>
  )
}
