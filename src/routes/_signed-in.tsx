import { createFileRoute, redirect } from '@tanstack/react-router'
import { needsSecondFactor } from '../features/account/second-factor.ts'
import { SignedInLayout } from '../screens/shell/signed-in-layout.tsx'

/** Requires a session, with the second factor if enrolled. */
export const Route = createFileRoute('/_signed-in')({
  beforeLoad: async ({ context, location }) => {
    const state = context.session.get()
    const isSignedOut = state.status === 'signed-out'
    // A session in the URL, from IdP-initiated sign-in, is rejected: otherwise a link could sign people in to someone
    // else's account. It's also removed from the URL.
    if (/(^|&)access_token=/.test(location.hash)) {
      if (!isSignedOut) throw redirect({ href: location.pathname, replace: true })
      throw redirect({ to: '/auth/callback', search: { error_code: 'saml_unsolicited' }, replace: true })
    }
    if (isSignedOut) {
      // Errors of company sign-in arrive here; the callback page explains them.
      if ('error_code' in location.search)
        throw redirect({ href: `/auth/callback${location.searchStr}`, replace: true })
      throw redirect({ to: '/sign-in', search: { next: returnPath(location.href) } })
    }
    if (state.recovering) throw redirect({ to: '/reset-password' })
    if (await needsSecondFactor()) throw redirect({ to: '/verify', search: { next: returnPath(location.href) } })
  },
  component: SignedInLayout,
})

const returnPath = (href: string) => (href === '/' ? undefined : href)
