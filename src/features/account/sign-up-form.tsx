import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { TextField } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { Notice } from '../../components/notice.tsx'
import { PasswordField } from '../../components/password-field.tsx'
import { describeAuthError } from '../../domain/auth-messages.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { signUp } from './mutations.ts'
import { passwordFault, passwordHint } from './password.ts'

type SignUpFormProps = { next: string; onToConfirm: (email: string) => void }

export function SignUpForm({ next, onToConfirm }: SignUpFormProps) {
  const [draft, setDraft] = useState({ name: '', email: '', password: '' })
  const [fault, setFault] = useState<string>()
  const creation = useMutation({
    ...signUp,
    onSuccess: ({ toConfirm }) => {
      if (toConfirm) onToConfirm(draft.email)
    },
  })
  const change = (part: Partial<typeof draft>) => setDraft({ ...draft, ...part })
  const submit = () => {
    const fault = passwordFault(draft.password)
    setFault(fault)
    if (!fault) creation.mutate({ ...draft, name: draft.name.trim(), next })
  }

  return (
    <Form onSubmit={submit}>
      {creation.error ? <Notice tone="error">{describeAuthError(creation.error)}</Notice> : null}
      <TextField
        label={t('Your name')}
        hint={t('Shown to the people you share a library with.')}
        autoComplete="name"
        required
        column="profiles.display_name"
        value={draft.name}
        onValue={(name) => change({ name })}
      />
      <TextField
        label={t('Email')}
        type="email"
        autoComplete="username"
        required
        value={draft.email}
        onValue={(email) => change({ email })}
      />
      <PasswordField
        label={t('Password')}
        hint={passwordHint()}
        error={fault}
        value={draft.password}
        onValue={(password) => change({ password })}
      />
      <Button type="submit" look="primary" busy={creation.isPending}>
        {t('Create account')}
      </Button>
    </Form>
  )
}
