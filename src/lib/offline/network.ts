import { onlineManager } from '@tanstack/react-query'
import { env } from '../backend/env.ts'

/** What browsers and clients say of a backend out of reach: they have no codes. */
const UNREACHABLE = /failed to fetch|networkerror|load failed|fetch failed|network request failed|timed out/i

/** Whether a message says that the backend was not reached. */
export const isUnreachable = (message: string): boolean => UNREACHABLE.test(message)

/** Milliseconds after which a backend that does not answer counts as out of reach. */
const ANSWER_LIMIT = 5_000
/** Milliseconds until a backend out of reach is asked again: it may start later, and no browser tells of that. */
const PAUSE = 5_000

/** Keeps TanStack Query's state of the network. A browser without a network interface says that it is offline, although the backend
 *  may run on the same machine: then the backend itself is asked. */
export function followNetwork(): void {
  onlineManager.setEventListener((setOnline) => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let latest: object | undefined
    const follow = async () => {
      clearTimeout(timer)
      const mine = {}
      latest = mine
      setOnline(navigator.onLine)
      if (navigator.onLine) return
      const isReachable = await reachesBackend()
      // The browser may have told of a change meanwhile.
      if (latest !== mine) return
      setOnline(isReachable)
      if (!isReachable) timer = setTimeout(follow, PAUSE)
    }
    addEventListener('online', follow)
    addEventListener('offline', follow)
    // The browser tells changes only.
    void follow()
    return () => {
      clearTimeout(timer)
      latest = undefined
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
