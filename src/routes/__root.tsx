import { createRootRouteWithContext } from '@tanstack/react-router'
import type { RouterContext } from '../router.tsx'
import { RootLayout } from '../screens/shell/root-layout.tsx'

export const Route = createRootRouteWithContext<RouterContext>()({
  // No guard can decide before it is known whether anybody is signed in.
  beforeLoad: async ({ context: { session, restore } }) => {
    await session.ready
    const state = session.get()
    if (state.status === 'signed-in') await restore(state.session.user.id)
  },
  component: RootLayout,
})
