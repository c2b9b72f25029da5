import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Form } from '../../components/form.tsx'
import { Notice } from '../../components/notice.tsx'
import { PasswordField } from '../../components/password-field.tsx'
import { describeAuthError } from '../../domain/auth-messages.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { setPassword } from './mutations.ts'
import { passwordFault, passwordHint } from './password.ts'

type NewPasswordFormProps = { label: string; autoFocus?: boolean; onDone: () => void }

export function NewPasswordForm({ label, autoFocus, onDone }: NewPasswordFormProps) {
  const [password, setDraft] = useState('')
  const [fault, setFault] = useState<string>()
  const change = useMutation({
    ...setPassword,
    onSuccess: () => {
      setDraft('')
      onDone()
    },
  })
  const submit = () => {
    const fault = passwordFault(password)
    setFault(fault)
    if (!fault) change.mutate(password)
  }
  return (
    <Form onSubmit={submit}>
      {change.error ? <Notice tone="error">{describeAuthError(change.error)}</Notice> : null}
      <PasswordField
        label={t('New password')}
        autoFocus={autoFocus}
        hint={passwordHint()}
        error={fault}
        value={password}
        onValue={setDraft}
      />
      <Button type="submit" look="primary" busy={change.isPending} className="justify-self-start">
        {label}
      </Button>
    </Form>
  )
}
