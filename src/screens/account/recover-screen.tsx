import { useMutation } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Button } from '../../components/button.tsx'
import { TextField } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { Notice } from '../../components/notice.tsx'
import { describeAuthError } from '../../domain/auth-messages.ts'
import { AccountFrame } from '../../features/account/account-frame.tsx'
import { sendRecovery } from '../../features/account/mutations.ts'
import { useTypedAddress } from '../../features/account/use-typed-address.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { usePageTitle } from '../../lib/ui/page-title.ts'

export function RecoverScreen() {
  const navigate = useNavigate()
  usePageTitle(t('Recover your account'))
  return (
    <AccountFrame
      title={t('Forgot your password?')}
      lead={t('We’ll email you a link and a code to set a new one.')}
      footer={
        <Link to="/sign-in" className="rounded font-medium text-accent-strong hover:underline">
          {t('Back to sign-in')}
        </Link>
      }
    >
      <RecoverForm onSent={(email) => void navigate({ to: '/verify', search: { email, purpose: 'recovery' } })} />
    </AccountFrame>
  )
}

/** Sends a recovery mail. Doesn't reveal whether the address has an account. */
function RecoverForm({ onSent }: { onSent: (email: string) => void }) {
  const [email, setEmail] = useTypedAddress()
  const recovery = useMutation({ ...sendRecovery, onSuccess: () => onSent(email) })
  const submit = () => recovery.mutate(email)
  return (
    <Form onSubmit={submit}>
      {recovery.error ? <Notice tone="error">{describeAuthError(recovery.error)}</Notice> : null}
      <TextField
        label={t('Email')}
        type="email"
        autoComplete="username"
        autoFocus
        required
        value={email}
        onValue={setEmail}
      />
      <Button type="submit" look="primary" busy={recovery.isPending}>
        {t('Send reset link')}
      </Button>
    </Form>
  )
}
