import { onlineManager } from '@tanstack/react-query'
import { env } from '../backend/env.ts'

/** Messages of browsers and clients for an unreachable backend, which have no codes. */
const UNREACHABLE = /failed to fetch|networkerror|load failed|fetch failed|network request failed|timed out/i

export const isUnreachable = (message: string): boolean => UNREACHABLE.test(message)

/** Milliseconds without a response after which the backend counts as unreachable. */
const ANSWER_LIMIT = 5_000
/** Milliseconds between attempts: browsers don't report when a backend starts. */
const PAUSE = 5_000

/** Maintains TanStack Query's network state. A browser without a network interface reports offline, although the
 *  backend may be local, so the backend itself is checked. */
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
      // The browser may have reported a change in the meantime.
      if (latest !== mine) return
      setOnline(isReachable)
      if (!isReachable) timer = setTimeout(follow, PAUSE)
    }
    addEventListener('online', follow)
    addEventListener('offline', follow)
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
