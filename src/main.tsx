import './styles/app.css'

// Before any module that creates a schema.
import './lib/no-eval.ts'
import { type QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { describeFailure, isUnknown } from './domain/failure.ts'
import { isPersisted, keys } from './domain/keys.ts'
import { supabase } from './lib/backend/supabase.ts'
import { switchLanguage } from './lib/i18n/i18n.ts'
import { createSessionStore, type SessionStore } from './lib/session/session-store.ts'
import { chosenLanguage, useLanguage, watchAppearance } from './lib/ui/appearance.ts'

// Early, because browsers fire the install event once, soon after load.
import './lib/ui/installation.ts'
import { keepPageOffline } from './lib/offline/app-files.ts'
import { followNetwork } from './lib/offline/network.ts'
import { runSignOutCleanup } from './lib/session/sign-out-cleanup.ts'
import { createQueryClient } from './query-client.ts'
import { createAppRouter } from './router.tsx'

const queryClient = createQueryClient()
followNetwork()
keepPageOffline()
const session = createSessionStore(supabase.auth, localStorage)
let restore: ((person: string) => Promise<void>) | undefined
const router = createAppRouter({
  queryClient,
  session,
  restore: async (person) => {
    const { persistQueries } = await import('./lib/offline/query-persistence.ts')
    restore ??= persistQueries({ queryClient, isPersisted })
    await restore(person)
  },
})

applySessionEffects(session, queryClient, () => void router.invalidate())
watchAppearance()

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no #root')

function App() {
  return <RouterProvider key={useLanguage()} router={router} />
}

await switchLanguage(chosenLanguage())
createRoot(root, {
  // Known failures are explained on screen; only others go to the console.
  onCaughtError: (error) => {
    if (isUnknown(describeFailure(error))) reportError(error)
  },
}).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <App />
    </QueryClientProvider>
  </StrictMode>,
)

// Without a service worker (no TLS, a private window), the app works online only.
if (import.meta.env.PROD) void navigator.serviceWorker?.register('/sw.js').catch(() => {})

/** Applies the effects of session events, as decided by `reactToSessionEvent`. */
function applySessionEffects(session: SessionStore, queryClient: QueryClient, reroute: () => void): void {
  session.onEffect((effect) => {
    switch (effect) {
      case 'forget-person':
        void supabase.removeAllChannels()
        runSignOutCleanup()
        queryClient.clear()
        return
      case 'reload-account':
        void queryClient.invalidateQueries({ queryKey: keys.account })
        return
      case 'reload-everything':
        void queryClient.invalidateQueries()
        return
      case 'reroute':
        reroute()
    }
  })
}
