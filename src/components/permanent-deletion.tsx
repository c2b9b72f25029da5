import { useState } from 'react'
import { t } from '../lib/i18n/i18n.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { TextField } from './field.tsx'
import { Form, FormActions } from './form.tsx'

/** @property expected What has to be typed; case doesn't count for an email. */
type PermanentDeletionProps = {
  action: string
  title: string
  description: string
  label: string
  expected: string
  mistake: string
  type?: 'email'
  deletion: { mutate: () => void; error: Error | null; isPending: boolean }
}

/** A button whose dialog asks for a name to be typed, because nothing brings back what it deletes. */
export function PermanentDeletion({ expected, deletion, ...texts }: PermanentDeletionProps) {
  const [isOpen, setOpen] = useState(false)
  const [typed, setTyped] = useState('')
  const [mistaken, setMistaken] = useState(false)
  const plain = (text: string) => (texts.type === 'email' ? text.trim().toLowerCase() : text.trim())
  const submit = () => {
    const same = plain(typed) === plain(expected)
    setMistaken(!same)
    if (same) deletion.mutate()
  }
  return (
    <>
      <Button look="danger" onClick={() => setOpen(true)}>
        {texts.action}
      </Button>
      <Dialog open={isOpen} onOpenChange={setOpen} title={texts.title} description={texts.description}>
        <Form onSubmit={submit} error={deletion.error}>
          <TextField
            label={texts.label}
            error={mistaken ? texts.mistake : undefined}
            type={texts.type}
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
