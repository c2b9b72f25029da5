import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { AccountFrame } from '../../features/account/account-frame.tsx'
import { LateSignInMethods } from '../../features/account/late-sign-in-methods.tsx'
import { SignUpForm } from '../../features/account/sign-up-form.tsx'
import { t } from '../../lib/i18n/i18n.ts'
import { usePageTitle } from '../../lib/ui/page-title.ts'

const route = getRouteApi('/_visitor/sign-up')

export function SignUpScreen() {
  const { next } = route.useSearch()
  const navigate = useNavigate()
  usePageTitle(t('Create an account'))
  return (
    <AccountFrame
      title={t('Create your account')}
      lead={t('One account for all your libraries.')}
      footer={
        <>
          {t('Already have an account?')}{' '}
          <Link to="/sign-in" search={{ next }} className="rounded font-medium text-accent-strong hover:underline">
            {t('Sign in')}
          </Link>
        </>
      }
    >
      <SignUpForm
        next={next ?? '/'}
        onToConfirm={(email) => void navigate({ to: '/verify', search: { email, purpose: 'sign-up', next } })}
      />
      <LateSignInMethods next={next ?? '/'} />
    </AccountFrame>
  )
}
