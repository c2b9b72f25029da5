import { useNavigate } from '@tanstack/react-router'
import { AccountFrame } from '../../features/account/account-frame.tsx'
import { NewPasswordForm } from '../../features/account/new-password-form.tsx'
import { SignOutButton } from '../../features/account/sign-out-button.tsx'
import { t } from '../../lib/i18n/i18n.ts'
import { usePageTitle } from '../../lib/ui/page-title.ts'

export function ResetPasswordScreen() {
  const navigate = useNavigate()
  usePageTitle(t('Set a new password'))
  return (
    <AccountFrame
      title={t('Set a new password')}
      lead={t('You’re then signed in here and in every open tab.')}
      footer={<SignOutButton look="quiet">{t('Leave without changing it')}</SignOutButton>}
    >
      <NewPasswordForm autoFocus label={t('Save and continue')} onDone={() => void navigate({ to: '/' })} />
    </AccountFrame>
  )
}
