import { createFileRoute, redirect } from '@tanstack/react-router'
import { needsSecondFactor } from '../features/account/second-factor.ts'
import { ResetPasswordScreen } from '../screens/account/reset-password-screen.tsx'

/** The page that a recovery link opens. Until a new password is set, every other screen redirects here. */
export const Route = createFileRoute('/reset-password')({
  beforeLoad: async ({ context }) => {
    const state = context.session.get()
    if (state.status === 'signed-out') throw redirect({ to: '/recover' })
    if (!state.recovering) throw redirect({ to: (await needsSecondFactor()) ? '/verify' : '/settings/security' })
  },
  component: ResetPasswordScreen,
})
