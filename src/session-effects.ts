import type { QueryClient } from '@tanstack/react-query'
import { keys } from './domain/keys.ts'
import { supabase } from './lib/backend/supabase.ts'
import type { SessionStore } from './lib/session/session-store.ts'
import { runSignOutCleanup } from './lib/session/sign-out-cleanup.ts'

/** Applies the effects of session events, as decided by `reactToSessionEvent`. */
export function applySessionEffects(session: SessionStore, queryClient: QueryClient, reroute: () => void): void {
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
