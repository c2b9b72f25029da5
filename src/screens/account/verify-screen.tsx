import { useMutation } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { CodeField } from '../../components/code-field.tsx'
import { Form } from '../../components/form.tsx'
import { Notice } from '../../components/notice.tsx'
import { describeAuthError } from '../../domain/auth-messages.ts'
import { AccountFrame } from '../../features/account/account-frame.tsx'
import { MailedCodeForm } from '../../features/account/mailed-code-form.tsx'
import { verifySecondFactor } from '../../features/account/mutations.ts'
import { msg, t } from '../../lib/i18n/i18n.ts'
import { usePageTitle } from '../../lib/ui/page-title.ts'

const route = getRouteApi('/verify')

const LEAD = {
  'sign-up': msg(
    'We sent an email to {email}. Open its link to sign in. Reading it on another device? Enter the code here.',
  ),
  'sign-in': msg('If {email} has an account, we’ve sent it a link and a code.'),
  recovery: msg('If {email} has an account, we’ve sent it a link and a code to set a new password.'),
}

export function VerifyScreen() {
  const { email, purpose = 'sign-in', next } = route.useSearch()
  const { factorId } = route.useRouteContext()
  usePageTitle(factorId ? t('Second factor') : t('Check your email'))
  if (factorId) {
    return (
      <AccountFrame title={t('Your second factor')} lead={t('Enter the six digits that your authenticator shows now.')}>
        <SecondFactorForm factorId={factorId} />
      </AccountFrame>
    )
  }
  return (
    <AccountFrame
      title={t('Check your email')}
      lead={t(LEAD[purpose], { email: email ?? '' })}
      footer={
        <Link to="/sign-in" search={{ next }} className="rounded font-medium text-accent-strong hover:underline">
          {t('Use another email')}
        </Link>
      }
    >
      <MailedCodeForm email={email ?? ''} purpose={purpose} next={next ?? '/'} />
    </AccountFrame>
  )
}

function SecondFactorForm({ factorId }: { factorId: string }) {
  const [code, setCode] = useState('')
  const verification = useMutation({ ...verifySecondFactor, onError: () => setCode('') })
  const submit = () => verification.mutate({ factorId, code })
  return (
    <Form onSubmit={submit}>
      {verification.error ? <Notice tone="error">{describeAuthError(verification.error)}</Notice> : null}
      <CodeField label={t('Code from your authenticator')} value={code} onValue={setCode} />
      <Button type="submit" look="primary" busy={verification.isPending}>
        {t('Confirm')}
      </Button>
    </Form>
  )
}
