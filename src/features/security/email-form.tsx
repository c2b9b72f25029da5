import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Field } from '../../components/field.tsx'
import { Input } from '../../components/input.tsx'
import { Notice } from '../../components/notice.tsx'
import { explainAuth } from '../../lib/auth-messages.ts'
import { t } from '../../lib/i18n.ts'
import { keys } from '../../lib/keys.ts'
import { changeEmail } from './mutations.ts'
import { accountQuery } from './queries.ts'

/** Another address takes both mailboxes, so that neither a stolen session nor a typing error can carry an account away. */
export function EmailForm() {
  const queryClient = useQueryClient()
  const { data: account } = useQuery(accountQuery)
  const [email, setEmail] = useState('')
  const change = useMutation({
    ...changeEmail,
    onSuccess: () => setEmail(''),
    onSettled: () => queryClient.invalidateQueries({ queryKey: keys.account }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    change.mutate(email.trim())
  }
  return (
    <form onSubmit={submit} className="grid max-w-md gap-5">
      {change.error ? <Notice tone="error">{explainAuth(change.error)}</Notice> : null}
      {account?.newEmail ? (
        <Notice tone="info" title={t('Two mails are on their way')}>
          {t('Open the link in the one to {before} and the link in the one to {after}. Until then nothing changes.', {
            before: account.email,
            after: account.newEmail,
          })}
        </Notice>
      ) : null}
      <Field label={t('New address')} hint={account ? t('Now: {email}', { email: account.email }) : undefined}>
        {(control) => (
          <Input
            {...control}
            type="email"
            required
            autoComplete="email"
            value={email}
            onChange={(event) => setEmail(event.target.value)}
          />
        )}
      </Field>
      <Button type="submit" look="primary" busy={change.isPending} className="justify-self-start">
        {t('Change address')}
      </Button>
    </form>
  )
}
