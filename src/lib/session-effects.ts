import type { QueryClient } from '@tanstack/react-query'
import { keys } from './keys.ts'
import { forgetPerson } from './person-data.ts'
import type { SessionStore } from './session.ts'
import { supabase } from './supabase.ts'

/** Carries out what the session's events ask for; `reactTo` decides what that is. */
export function carryOutSessionEffects(session: SessionStore, queryClient: QueryClient, reroute: () => void): void {
  session.onEffect((effect) => {
    switch (effect) {
      case 'forget-person':
        void supabase.removeAllChannels()
        forgetPerson()
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
