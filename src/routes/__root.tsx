import type { QueryClient } from '@tanstack/react-query'
import { createRootRouteWithContext, redirect } from '@tanstack/react-router'
import type { SessionStore } from '../lib/session/session-store.ts'
import { RootLayout } from '../screens/shell/root-layout.tsx'

export type RouterContext = {
  queryClient: QueryClient
  session: SessionStore
  restore: (person: string) => Promise<void>
}

export const Route = createRootRouteWithContext<RouterContext>()({
  // Guards need to know whether someone is signed in.
  beforeLoad: async ({ context: { session, restore }, location: { pathname, hash } }) => {
    // If the auth service rejects a mail's target address, it redirects to the app's first page.
    if (pathname !== '/auth/callback' && /^token_hash=/.test(hash)) throw redirect({ to: '/auth/callback', hash })
    await session.ready
    const state = session.get()
    if (state.status === 'signed-in') await restore(state.session.user.id)
  },
  component: RootLayout,
})
