import { createFileRoute, redirect } from '@tanstack/react-router'
import { needsSecondFactor } from '../features/account/second-factor.ts'
import { ResetPasswordScreen } from '../screens/account/reset-password-screen.tsx'

/** Opened by a recovery link. All other screens redirect here until a new password is set. */
export const Route = createFileRoute('/reset-password')({
  beforeLoad: async ({ context }) => {
    const state = context.session.get()
    if (state.status === 'signed-out') throw redirect({ to: '/recover' })
    if (!state.recovering) throw redirect({ to: (await needsSecondFactor()) ? '/verify' : '/settings/security' })
  },
  component: ResetPasswordScreen,
})
