import { Link, useNavigate } from '@tanstack/react-router'
import { AccountFrame } from '../../features/account/account-frame.tsx'
import { RecoverForm } from '../../features/account/recover-form.tsx'
import { t } from '../../lib/i18n/i18n.ts'
import { usePageTitle } from '../../lib/ui/page-title.ts'

export function RecoverScreen() {
  const navigate = useNavigate()
  usePageTitle(t('Recover your account'))
  return (
    <AccountFrame
      title={t('Forgot your password?')}
      lead={t('We’ll email you a link and a code to set a new one.')}
      footer={
        <Link to="/sign-in" className="rounded font-medium text-accent-strong hover:underline">
          {t('Back to sign-in')}
        </Link>
      }
    >
      <RecoverForm onSent={(email) => void navigate({ to: '/verify', search: { email, purpose: 'recovery' } })} />
    </AccountFrame>
  )
}
