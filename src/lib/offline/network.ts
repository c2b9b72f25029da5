import { onlineManager } from '@tanstack/react-query'
import { env } from '../backend/env.ts'

/** Milliseconds after which a backend that does not answer counts as out of reach. */
const ANSWER_LIMIT = 5_000

/** Keeps TanStack Query's state of the network. A browser without a network interface says that it is offline, although the backend
 *  may run on the same machine: then the backend itself is asked. */
export function followNetwork(): void {
  onlineManager.setEventListener((setOnline) => {
    const follow = async () => {
      setOnline(navigator.onLine)
      if (navigator.onLine) return
      const isReachable = await reachesBackend()
      setOnline(navigator.onLine || isReachable)
    }
    addEventListener('online', follow)
    addEventListener('offline', follow)
    // The browser tells changes only.
    void follow()
    return () => {
      removeEventListener('online', follow)
      removeEventListener('offline', follow)
    }
  })
}

async function reachesBackend(): Promise<boolean> {
  try {
    await fetch(`${env.supabaseUrl}/auth/v1/health`, {
      headers: { apikey: env.publishableKey },
      cache: 'no-store',
      signal: AbortSignal.timeout(ANSWER_LIMIT),
    })
    return true
  } catch {
    return false
  }
}
