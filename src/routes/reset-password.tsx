import { createFileRoute, redirect, useNavigate } from '@tanstack/react-router'
import { AccountFrame } from '../features/account/account-frame.tsx'
import { NewPasswordForm } from '../features/account/new-password-form.tsx'
import { owesSecondFactor } from '../features/account/second-factor.ts'
import { SignOutButton } from '../features/account/sign-out-button.tsx'
import { t } from '../lib/i18n.ts'
import { usePageTitle } from '../lib/page-title.ts'

/** Where a recovery link ends. Until a new password is set, every other screen leads back here. */
export const Route = createFileRoute('/reset-password')({
  beforeLoad: async ({ context }) => {
    const state = context.session.get()
    if (state.status === 'signed-out') throw redirect({ to: '/recover' })
    if (!state.recovering) throw redirect({ to: (await owesSecondFactor()) ? '/verify' : '/settings/security' })
  },
  component: ResetPassword,
})

function ResetPassword() {
  const navigate = useNavigate()
  usePageTitle(t('Set a new password'))
  return (
    <AccountFrame
      title={t('Set a new password')}
      lead={t('Then you are signed in, here and in every open tab.')}
      footer={<SignOutButton look="quiet">{t('Leave without changing it')}</SignOutButton>}
    >
      <NewPasswordForm label={t('Save and go on')} onDone={() => void navigate({ to: '/' })} />
    </AccountFrame>
  )
}
