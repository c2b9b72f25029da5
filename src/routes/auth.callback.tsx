import { createFileRoute, redirect } from '@tanstack/react-router'
import type { CallbackOutcome } from '../features/account/callback.ts'
import { CallbackSearch } from '../features/account/callback-search.ts'
import { CallbackScreen } from '../screens/account/callback-screen.tsx'

/** The page that mailed links and sign-in providers return to. */
export const Route = createFileRoute('/auth/callback')({
  validateSearch: CallbackSearch,
  loaderDeps: ({ search }) => search,
  loader: async ({ deps, location }) => {
    const outcome = await finishOnce(location.href, async () => {
      // Imported lazily, because every page loads the routes' imports.
      const { finishCallback } = await import('../features/account/callback.ts')
      return finishCallback(deps, location.hash)
    })
    if ('goTo' in outcome) throw redirect({ href: outcome.goTo, replace: true })
    return outcome
  },
  staleTime: Number.POSITIVE_INFINITY,
  component: CallbackScreen,
})

const finished = new Map<string, Promise<CallbackOutcome>>()

/** The code works once, but signing in runs all guards and so this loader again. */
function finishOnce(address: string, finish: () => Promise<CallbackOutcome>): Promise<CallbackOutcome> {
  const outcome = finished.get(address) ?? finish()
  finished.set(address, outcome)
  return outcome
}
