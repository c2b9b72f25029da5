import { useMutation } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { Button } from '../../components/button.tsx'
import { Field } from '../../components/field.tsx'
import { Input } from '../../components/input.tsx'
import { Notice } from '../../components/notice.tsx'
import { describeAuthError } from '../../domain/auth-messages.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { sendRecovery } from './mutations.ts'
import { useTypedAddress } from './use-typed-address.ts'

/** Sends a recovery mail. Doesn't reveal whether the address has an account. */
export function RecoverForm({ onSent }: { onSent: (email: string) => void }) {
  const [email, setEmail] = useTypedAddress()
  const recovery = useMutation({ ...sendRecovery, onSuccess: () => onSent(email) })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    recovery.mutate(email)
  }
  return (
    <form onSubmit={submit} className="grid gap-5">
      {recovery.error ? <Notice tone="error">{describeAuthError(recovery.error)}</Notice> : null}
      <Field label={t('Email')}>
        {(control) => (
          <Input
            {...control}
            type="email"
            autoComplete="username"
            required
            value={email}
            onChange={(event) => setEmail(event.target.value)}
          />
        )}
      </Field>
      <Button type="submit" look="primary" busy={recovery.isPending}>
        {t('Send reset link')}
      </Button>
    </form>
  )
}
