import { queryOptions } from '@tanstack/react-query'
import { keys } from '../../domain/keys.ts'
import { onSignOut } from '../../lib/session/sign-out-cleanup.ts'

/** Where the service worker keeps what another app shares with this one (src/service-worker/sw.js). */
const CACHE = 'shared-in'
const TEXTS = '/shared-in/texts'

export type SharedIn = {
  readonly title: string
  readonly text: string
  readonly url: string
  readonly files: readonly File[]
}

/** What another app has shared, until the person has decided where it belongs; null when nothing waits. */
export const sharedInQuery = queryOptions({
  queryKey: keys.sharedIn,
  staleTime: 0,
  gcTime: 0,
  networkMode: 'always',
  queryFn: async (): Promise<SharedIn | null> => {
    if (!('caches' in globalThis) || !(await caches.has(CACHE))) return null
    const cache = await caches.open(CACHE)
    const texts = await (await cache.match(TEXTS))?.json()
    if (!texts) return null
    const requests = (await cache.keys()).filter(({ url }) => new URL(url).pathname !== TEXTS)
    return { ...texts, files: await Promise.all(requests.map(async (request) => toFile(await cache.match(request)))) }
  },
})

async function toFile(response: Response | undefined): Promise<File> {
  const name = decodeURIComponent(response?.headers.get('x-file-name') ?? '')
  const blob = await response?.blob()
  return new File(blob ? [blob] : [], name, { type: blob?.type ?? '' })
}

export async function discardSharedIn(): Promise<void> {
  if ('caches' in globalThis) await caches.delete(CACHE)
}

onSignOut(() => void discardSharedIn())
