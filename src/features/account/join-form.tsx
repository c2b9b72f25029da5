import { useMutation, useQuery } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Field, TextField } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { Input } from '../../components/input.tsx'
import { FailureNotice, Notice } from '../../components/notice.tsx'
import { PasswordField } from '../../components/password-field.tsx'
import { describeAuthError } from '../../domain/auth-messages.ts'
import { signInMethodsQuery } from '../../domain/sign-in-methods.ts'
import { EdgeFunctionError } from '../../lib/backend/edge-function-error.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { setUpAccount } from './invitation.ts'
import { passwordFault, passwordHint } from './password.ts'

type JoinFormProps = {
  token: string
  inviteKey: string
  email: string
  busy: boolean
  onReady: () => void
}

export function JoinForm({ token, inviteKey, email, busy, onReady }: JoinFormProps) {
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const [faults, setFaults] = useState<{ name?: string | undefined; password?: string | undefined }>({})
  const { data: methods } = useQuery(signInMethodsQuery)
  const setUp = useMutation({ ...setUpAccount, onSuccess: onReady })

  const join = (chosen: string | null) => {
    const found = {
      name: name.trim() ? undefined : t('Enter your name first.'),
      password: chosen === null ? undefined : passwordFault(chosen),
    }
    setFaults(found)
    if (found.name || found.password) return
    setUp.mutate({ token, key: inviteKey, email, name: name.trim(), password: chosen })
  }
  const submit = () => join(password)
  const isPending = setUp.isPending || busy
  const usesPasskey = setUp.variables?.password === null

  return (
    <Form onSubmit={submit}>
      {setUp.error instanceof EdgeFunctionError ? (
        <FailureNotice error={setUp.error} />
      ) : setUp.error ? (
        <Notice tone="error">{describeAuthError(setUp.error)}</Notice>
      ) : null}
      <TextField
        label={t('Your name')}
        hint={t('Shown to the people you share a library with.')}
        error={faults.name}
        autoComplete="name"
        required
        column="profiles.display_name"
        value={name}
        onValue={setName}
      />
      <Field label={t('Email')}>
        {(control) => <Input {...control} type="email" autoComplete="username" readOnly value={email} />}
      </Field>
      <PasswordField
        label={t('Password')}
        hint={passwordHint()}
        error={faults.password}
        value={password}
        onValue={setPassword}
      />
      <Button type="submit" look="primary" busy={isPending && !usesPasskey}>
        {t('Join')}
      </Button>
      {methods?.passkeys ? (
        <>
          <div className="flex items-center gap-3 text-ink-faint text-xs before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
            {t('or without a password')}
          </div>
          <Button icon={KeyRound} busy={isPending && usesPasskey} onClick={() => join(null)}>
            {t('Join with a passkey')}
          </Button>
        </>
      ) : null}
    </Form>
  )
}
