import { createFileRoute, redirect } from '@tanstack/react-router'
import * as z from 'zod/mini'
import { FailureView } from '../components/failure-view.tsx'
import { AccountFrame } from '../features/account/account-frame.tsx'
import { invitationQuery } from '../features/account/invitation.ts'
import { needsSecondFactor } from '../features/account/second-factor.ts'
import { t } from '../lib/i18n/i18n.ts'
import { lenient } from '../lib/lenient.ts'
import { InvitationScreen } from '../screens/invitation/invitation-screen.tsx'

/** The page behind an invitation link: for visitors, the invited person and anyone else. */
export const Route = createFileRoute('/invite/$token')({
  /** `key` proves that the link comes from the invitation's mail. */
  validateSearch: z.object({ key: lenient(z.string()) }),
  beforeLoad: async ({ context, location }) => {
    // The auth service's own mail template leads here with a session.
    if (/(^|&)access_token=/.test(location.hash)) {
      const next = location.pathname + location.searchStr
      throw redirect({ to: '/auth/callback', search: { next }, hash: location.hash })
    }
    const state = context.session.get()
    if (state.status === 'signed-out') return
    if (state.recovering) throw redirect({ to: '/reset-password' })
    if (await needsSecondFactor()) throw redirect({ to: '/verify', search: { next: location.href } })
  },
  loader: ({ context, params }) => context.queryClient.query(invitationQuery(params.token)),
  component: InvitationScreen,
  errorComponent: ({ error }) => (
    <AccountFrame title={t('Invitation')}>
      <FailureView error={error} isPublic />
    </AccountFrame>
  ),
})
