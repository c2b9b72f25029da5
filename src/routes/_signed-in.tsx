import { createFileRoute, redirect } from '@tanstack/react-router'
import { needsSecondFactor } from '../features/account/second-factor.ts'
import { SignedInLayout } from '../screens/shell/signed-in-layout.tsx'

/** The routes below need a session, with a second factor if the person has one enrolled. */
export const Route = createFileRoute('/_signed-in')({
  beforeLoad: async ({ context, location }) => {
    const state = context.session.get()
    const isSignedOut = state.status === 'signed-out'
    // A session in the address: an identity provider has begun the sign-in by itself. It is not taken, because whoever sends somebody
    // here could choose whose it is; and it is not kept in any address.
    if (/(^|&)access_token=/.test(location.hash)) {
      if (!isSignedOut) throw redirect({ href: location.pathname, replace: true })
      throw redirect({ to: '/auth/callback', search: { error_code: 'saml_unsolicited' }, replace: true })
    }
    if (isSignedOut) {
      // The auth service says here what went wrong at a company's identity provider: the page of callbacks explains it.
      if ('error_code' in location.search)
        throw redirect({ href: `/auth/callback${location.searchStr}`, replace: true })
      throw redirect({ to: '/sign-in', search: { next: returnPath(location.href) } })
    }
    if (state.recovering) throw redirect({ to: '/reset-password' })
    if (await needsSecondFactor()) throw redirect({ to: '/verify', search: { next: returnPath(location.href) } })
  },
  component: SignedInLayout,
})

/** Where to go after signing in; home needs no mention. */
const returnPath = (href: string) => (href === '/' ? undefined : href)
