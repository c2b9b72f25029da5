import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { CodeField } from '../../components/code-field.tsx'
import { Form } from '../../components/form.tsx'
import { Notice } from '../../components/notice.tsx'
import { describeAuthError } from '../../domain/auth-messages.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { resendConfirmation, sendLink, sendRecovery, verifyCode } from './mutations.ts'

type CodePurpose = 'sign-up' | 'sign-in' | 'recovery'

type MailedCodeFormProps = { email: string; purpose: CodePurpose; next: string }

export function MailedCodeForm({ email, purpose, next }: MailedCodeFormProps) {
  const [token, setToken] = useState('')
  const verification = useMutation({ ...verifyCode, onError: () => setToken('') })
  const confirmation = useMutation(resendConfirmation)
  const link = useMutation(sendLink)
  const recovery = useMutation(sendRecovery)
  const sending = { 'sign-up': confirmation, 'sign-in': link, recovery }[purpose]

  const submit = () => verification.mutate({ email, token, type: purpose === 'recovery' ? 'recovery' : 'email' })
  const sendAgain = () => {
    verification.reset()
    if (purpose === 'recovery') recovery.mutate(email)
    else if (purpose === 'sign-in') link.mutate({ email, next })
    else confirmation.mutate({ email, next })
  }
  const error = verification.error ?? sending.error

  return (
    <Form onSubmit={submit}>
      {error ? <Notice tone="error">{describeAuthError(error)}</Notice> : null}
      {sending.isSuccess && !error ? <Notice tone="success">{t('We’ve sent another email.')}</Notice> : null}
      <CodeField label={t('Code from the email')} value={token} onValue={setToken} />
      <Button type="submit" look="primary" busy={verification.isPending}>
        {t('Continue')}
      </Button>
      <Button look="quiet" onClick={sendAgain} busy={sending.isPending}>
        {t('Send another email')}
      </Button>
    </Form>
  )
}
