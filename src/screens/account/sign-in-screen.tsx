import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { AccountFrame } from '../../features/account/account-frame.tsx'
import { LateSignInMethods } from '../../features/account/late-sign-in-methods.tsx'
import { SignInForm } from '../../features/account/sign-in-form.tsx'
import { t } from '../../lib/i18n/i18n.ts'
import { usePageTitle } from '../../lib/ui/page-title.ts'

const route = getRouteApi('/_visitor/sign-in')

export function SignInScreen() {
  const { next } = route.useSearch()
  const navigate = useNavigate()
  usePageTitle(t('Sign in'))
  return (
    <AccountFrame
      title={t('Welcome back')}
      lead={t('Sign in to your libraries.')}
      footer={
        <>
          {t('New here?')}{' '}
          <Link to="/sign-up" search={{ next }} className="rounded font-medium text-accent-strong hover:underline">
            {t('Create an account')}
          </Link>
        </>
      }
    >
      <SignInForm
        next={next ?? '/'}
        onLinkSent={(email) => void navigate({ to: '/verify', search: { email, purpose: 'sign-in', next } })}
      />
      <LateSignInMethods next={next ?? '/'} />
    </AccountFrame>
  )
}
