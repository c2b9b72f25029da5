import { createFileRoute, Link, useNavigate } from '@tanstack/react-router'
import { AccountFrame } from '../../features/account/account-frame.tsx'
import { OtherWays } from '../../features/account/other-ways.tsx'
import { SignUpForm } from '../../features/account/sign-up-form.tsx'
import { t } from '../../lib/i18n.ts'
import { usePageTitle } from '../../lib/page-title.ts'

export const Route = createFileRoute('/_visitor/sign-up')({ component: SignUp })

function SignUp() {
  const { next } = Route.useSearch()
  const navigate = useNavigate()
  usePageTitle(t('Create an account'))
  return (
    <AccountFrame
      title={t('A place at the desk')}
      lead={t('One account for every library that you share.')}
      footer={
        <>
          {t('Have an account?')}{' '}
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
      <OtherWays next={next ?? '/'} />
    </AccountFrame>
  )
}
