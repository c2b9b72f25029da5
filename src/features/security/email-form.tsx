import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { TextField } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { Notice } from '../../components/notice.tsx'
import { describeAuthError } from '../../domain/auth-messages.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { changeEmail } from './mutations.ts'
import { accountQuery } from './queries.ts'

/** A new address is confirmed in both mailboxes, so that neither a stolen session nor a typo loses the account. */
export function EmailForm() {
  const { data: account } = useQuery(accountQuery)
  const [email, setEmail] = useState('')
  const change = useMutation({
    ...changeEmail,
    onSuccess: () => setEmail(''),
  })
  const submit = () => change.mutate(email.trim())
  return (
    <Form onSubmit={submit} className="grid max-w-md gap-5">
      {change.error ? <Notice tone="error">{describeAuthError(change.error)}</Notice> : null}
      {account?.newEmail ? (
        <Notice tone="info" title={t('We’ve sent two emails')}>
          {t('Open the links in both emails, to {before} and to {after}. Nothing changes until you’ve opened both.', {
            before: account.email,
            after: account.newEmail,
          })}
        </Notice>
      ) : null}
      <TextField
        label={t('New email')}
        hint={account ? t('Now: {email}', { email: account.email }) : undefined}
        type="email"
        required
        autoComplete="email"
        value={email}
        onValue={setEmail}
      />
      <Button type="submit" look="primary" busy={change.isPending} className="justify-self-start">
        {t('Change email')}
      </Button>
    </Form>
  )
}
