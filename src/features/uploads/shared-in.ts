import { queryOptions } from '@tanstack/react-query'
import { keys } from '../../domain/keys.ts'
import { onSignOut } from '../../lib/session/sign-out-cleanup.ts'

/** Cache for content from other apps (src/service-worker/sw.js) and the extension (extension/hand-over.ts). */
const CACHE = 'shared-in'
const TEXTS = '/shared-in/texts'
const PAGE = '/shared-in/page'

export type SharedIn = {
  readonly title: string
  readonly text: string
  readonly url: string
  readonly files: readonly File[]
  /** From the extension: the HTML of `url` as the browser shows it, and the selection. */
  readonly page?: Blob | undefined
  readonly quote?: string
}

/** What another app has shared and isn't filed yet; null if nothing waits. */
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
