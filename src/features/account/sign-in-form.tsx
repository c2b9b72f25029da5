import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Mail } from 'lucide-react'
import { useRef, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { TextField } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { Notice } from '../../components/notice.tsx'
import { PasswordField } from '../../components/password-field.tsx'
import { describeAuthError } from '../../domain/auth-messages.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { sendLink, signIn } from './mutations.ts'
import { useTypedAddress } from './use-typed-address.ts'

type SignInFormProps = { next: string; onLinkSent: (email: string) => void }

/** Signs in by password, or by a mailed link or code. The route guards decide where to go next. */
export function SignInForm({ next, onLinkSent }: SignInFormProps) {
  const [email, setEmail] = useTypedAddress()
  const [password, setPassword] = useState('')
  const address = useRef<HTMLInputElement>(null)
  const withPassword = useMutation(signIn)
  const withLink = useMutation({ ...sendLink, onSuccess: () => onLinkSent(email) })
  const error = withPassword.error ?? withLink.error

  const submit = () => {
    withLink.reset()
    withPassword.mutate({ email, password })
  }
  const askForLink = () => {
    withPassword.reset()
    if (address.current?.reportValidity()) withLink.mutate({ email, next })
  }

  return (
    <Form onSubmit={submit}>
      {error ? <Notice tone="error">{describeAuthError(error)}</Notice> : null}
      <TextField
        label={t('Email')}
        ref={address}
        type="email"
        autoComplete="username webauthn"
        required
        value={email}
        onValue={setEmail}
      />
      <PasswordField
        label={t('Password')}
        aside={
          <Link to="/recover" className="rounded text-accent-strong text-sm underline-offset-4 hover:underline">
            {t('Forgot password?')}
          </Link>
        }
        value={password}
        onValue={setPassword}
        autoComplete="current-password"
      />
      <Button type="submit" look="primary" busy={withPassword.isPending}>
        {t('Sign in')}
      </Button>
      <div className="flex items-center gap-3 text-ink-faint text-xs before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
        {t('or without a password')}
      </div>
      <Button icon={Mail} onClick={askForLink} busy={withLink.isPending}>
        {t('Email me a link and a code')}
      </Button>
    </Form>
  )
}
