import { useMutation } from '@tanstack/react-query'
import { Button } from '../../components/button.tsx'
import { TextField } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { Notice } from '../../components/notice.tsx'
import { describeAuthError } from '../../domain/auth-messages.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { sendRecovery } from './mutations.ts'
import { useTypedAddress } from './use-typed-address.ts'

/** Sends a recovery mail. Doesn't reveal whether the address has an account. */
export function RecoverForm({ onSent }: { onSent: (email: string) => void }) {
  const [email, setEmail] = useTypedAddress()
  const recovery = useMutation({ ...sendRecovery, onSuccess: () => onSent(email) })
  const submit = () => recovery.mutate(email)
  return (
    <Form onSubmit={submit}>
      {recovery.error ? <Notice tone="error">{describeAuthError(recovery.error)}</Notice> : null}
      <TextField label={t('Email')} type="email" autoComplete="username" required value={email} onValue={setEmail} />
      <Button type="submit" look="primary" busy={recovery.isPending}>
        {t('Send reset link')}
      </Button>
    </Form>
  )
}
