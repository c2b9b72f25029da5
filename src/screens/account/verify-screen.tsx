import { getRouteApi, Link } from '@tanstack/react-router'
import { AccountFrame } from '../../features/account/account-frame.tsx'
import { MailedCodeForm } from '../../features/account/mailed-code-form.tsx'
import { SecondFactorForm } from '../../features/account/second-factor-form.tsx'
import { msg, t } from '../../lib/i18n/i18n.ts'
import { usePageTitle } from '../../lib/ui/page-title.ts'

const route = getRouteApi('/verify')

const LEAD = {
  'sign-up': msg('Open its link to sign in. Reading mail on another device? Enter the code here.'),
  'sign-in': msg('If the address has an account, a mail with a link and a code is on its way.'),
  recovery: msg('If the address has an account, a mail is on its way. Open its link, or enter its code here.'),
}

export function VerifyScreen() {
  const { email, purpose = 'sign-in', next } = route.useSearch()
  const { factorId } = route.useRouteContext()
  usePageTitle(factorId ? t('Second factor') : t('Check your mail'))
  if (factorId) {
    return (
      <AccountFrame title={t('Your second factor')} lead={t('Enter the six digits that your authenticator shows now.')}>
        <SecondFactorForm factorId={factorId} />
      </AccountFrame>
    )
  }
  return (
    <AccountFrame
      title={t('Check your mail')}
      lead={
        <>
          {t('We wrote to {email}.', { email: email ?? '' })} {t(LEAD[purpose])}
        </>
      }
      footer={
        <Link to="/sign-in" search={{ next }} className="rounded font-medium text-accent-strong hover:underline">
          {t('Use another address')}
        </Link>
      }
    >
      <MailedCodeForm email={email ?? ''} purpose={purpose} next={next ?? '/'} />
    </AccountFrame>
  )
}
