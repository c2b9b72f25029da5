import './styles/app.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { chosenLanguage, useLanguage, watchAppearance } from './lib/appearance.ts'
import { speak } from './lib/i18n.ts'
import { keepForOffline } from './lib/offline.ts'
import { createQueryClient } from './lib/query-client.ts'
import { createSessionStore } from './lib/session.ts'
import { carryOutSessionEffects } from './lib/session-effects.ts'
import { supabase } from './lib/supabase.ts'
import { createAppRouter } from './router.tsx'

const queryClient = createQueryClient()
const session = createSessionStore(supabase.auth, localStorage)
const router = createAppRouter({ queryClient, session, restore: keepForOffline(queryClient) })

carryOutSessionEffects(session, queryClient, () => void router.invalidate())
watchAppearance()

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no #root')

function App() {
  return <RouterProvider key={useLanguage()} router={router} />
}

await speak(chosenLanguage())
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <App />
    </QueryClientProvider>
  </StrictMode>,
)

// Where it is refused (no TLS, a private window) the app works all the same, but only with network.
if (import.meta.env.PROD) void navigator.serviceWorker?.register('/sw.js').catch(() => {})
