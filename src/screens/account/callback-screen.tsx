import { getRouteApi, Link, useLocation } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Notice } from '../../components/notice.tsx'
import { AccountFrame } from '../../features/account/account-frame.tsx'
import { confirmMailedToken, type MailedToken, mailedTokenOf } from '../../features/account/callback.ts'
import { msg, t } from '../../lib/i18n/i18n.ts'
import { usePageTitle } from '../../lib/ui/page-title.ts'

const route = getRouteApi('/auth/callback')

const STEPS: Record<MailedToken['type'], { title: string; label: string }> = {
  email: { title: msg('Sign in to Carrel'), label: msg('Sign in') },
  magiclink: { title: msg('Sign in to Carrel'), label: msg('Sign in') },
  signup: { title: msg('Confirm your email'), label: msg('Confirm and continue') },
  invite: { title: msg('Your account is ready'), label: msg('Open it') },
  recovery: { title: msg('Set a new password'), label: msg('Continue') },
  email_change: { title: msg('Email change'), label: msg('Confirm the change') },
}

export function CallbackScreen() {
  const outcome = route.useLoaderData()
  const search = route.useSearch()
  const hash = useLocation({ select: (location) => location.hash })
  usePageTitle(t('Signing in'))
  // From the URL, because the loader doesn't run again when only the fragment changes.
  const token = mailedTokenOf(search, hash)
  if (token) return <MailedLink key={JSON.stringify(token)} token={token} next={search.next} />
  return 'confirm' in outcome ? null : <CallbackResult result={outcome} />
}

function MailedLink({ token, next }: { token: MailedToken; next: string | undefined }) {
  const navigate = route.useNavigate()
  const [result, setResult] = useState<{ problem: string } | { said: string }>()
  const [busy, setBusy] = useState(false)
  if (result) return <CallbackResult result={result} />

  const confirm = async () => {
    setBusy(true)
    const confirmed = await confirmMailedToken(token, next)
    if ('goTo' in confirmed) void navigate({ href: confirmed.goTo, replace: true })
    else setResult(confirmed)
  }
  const { title, label } = STEPS[token.type]
  return (
    <AccountFrame title={t(title)} lead={t('The link in the email works once. Press the button to use it.')}>
      <Button look="primary" busy={busy} onClick={() => void confirm()} className="w-full">
        {t(label)}
      </Button>
    </AccountFrame>
  )
}

/** Errors of company sign-in (SAML), which a new link can't fix. */
const OF_COMPANY = /^(saml_|sso_|validation_failed$)/

function CallbackResult({ result }: { result: { problem: string } | { said: string } }) {
  const { error_code } = route.useSearch()
  const failed = 'problem' in result
  if (failed && OF_COMPANY.test(error_code ?? '')) {
    return (
      <AccountFrame title={t('Your company couldn’t sign you in')}>
        <Notice tone="error">{result.problem}</Notice>
        <Button asChild look="primary" className="mt-6 w-full">
          <Link to="/sign-in">{t('Back to sign-in')}</Link>
        </Button>
      </AccountFrame>
    )
  }
  return (
    <AccountFrame title={failed ? t('This link didn’t work') : t('One more step')}>
      <Notice tone={failed ? 'error' : 'info'}>{failed ? result.problem : result.said}</Notice>
      <div className="mt-6 grid gap-3">
        <Button asChild look="primary">
          <Link to="/sign-in">{t('Ask for a new link')}</Link>
        </Button>
        <Button asChild look="quiet">
          <Link to="/recover">{t('I forgot my password')}</Link>
        </Button>
      </div>
    </AccountFrame>
  )
}
