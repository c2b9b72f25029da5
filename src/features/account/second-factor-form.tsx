import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Field } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { Notice } from '../../components/notice.tsx'
import { describeAuthError } from '../../domain/auth-messages.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { CodeInput } from './code-input.tsx'
import { verifySecondFactor } from './mutations.ts'

export function SecondFactorForm({ factorId }: { factorId: string }) {
  const [code, setCode] = useState('')
  const verification = useMutation({ ...verifySecondFactor, onError: () => setCode('') })
  const submit = () => verification.mutate({ factorId, code })
  return (
    <Form onSubmit={submit}>
      {verification.error ? <Notice tone="error">{describeAuthError(verification.error)}</Notice> : null}
      <Field label={t('Code from your authenticator')}>
        {(control) => <CodeInput {...control} value={code} onValue={setCode} />}
      </Field>
      <Button type="submit" look="primary" busy={verification.isPending}>
        {t('Confirm')}
      </Button>
    </Form>
  )
}
