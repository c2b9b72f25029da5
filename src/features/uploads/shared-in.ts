import { queryOptions } from '@tanstack/react-query'
import { keys } from '../../domain/keys.ts'
import { onSignOut } from '../../lib/session/sign-out-cleanup.ts'

/** Where the service worker keeps what another app shares with this one (src/service-worker/sw.js), and the browser extension what it
 *  has read on a page (extension/hand-over.ts). */
const CACHE = 'shared-in'
const TEXTS = '/shared-in/texts'
const PAGE = '/shared-in/page'

export type SharedIn = {
  readonly title: string
  readonly text: string
  readonly url: string
  readonly files: readonly File[]
  /** From the extension: the page at `url` as HTML, as the browser has shown it, and what was selected on it. */
  readonly page?: Blob | undefined
  readonly quote?: string
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
    const page = await (await cache.match(PAGE))?.blob()
    const requests = (await cache.keys()).filter(({ url }) => ![TEXTS, PAGE].includes(new URL(url).pathname))
    const files = await Promise.all(requests.map(async (request) => toFile(await cache.match(request))))
    return { ...texts, files, page }
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
