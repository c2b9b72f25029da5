import { onSignOut } from '../session/sign-out-cleanup.ts'

const CACHE = 'files-read'
/** The files opened last. A file has 50 MB at most, most have a hundredth of that. */
const MOST = 40
const addressOf = (path: string) => `/kept/${encodeURIComponent(path)}`

/** Fetches a stored file, and keeps it readable without network. Only when the network fails is the kept one shown: what the
 *  backend refuses stays refused.
 *  @param isUnreachable Whether a failure means that nobody answered. */
export async function withCachedFile(
  path: string,
  fetchFile: () => Promise<Blob>,
  isUnreachable: (error: unknown) => boolean,
): Promise<Blob> {
  try {
    const file = await fetchFile()
    void keep(path, file)
    return file
  } catch (error) {
    const kept = isUnreachable(error) ? await find(path) : undefined
    if (kept) return kept
    throw error
  }
}

async function keep(path: string, file: Blob): Promise<void> {
  // Not at hand on pages without TLS, and full disks refuse: then a file is simply not kept.
  try {
    const cache = await caches.open(CACHE)
    await cache.delete(addressOf(path))
    await cache.put(addressOf(path), new Response(file))
    const kept = await cache.keys()
    await Promise.all(kept.slice(0, Math.max(0, kept.length - MOST)).map((request) => cache.delete(request)))
  } catch {}
}

async function find(path: string): Promise<Blob | undefined> {
  if (!('caches' in globalThis)) return undefined
  const kept = await (await caches.open(CACHE)).match(addressOf(path))
  return kept?.blob()
}

onSignOut(() => {
  if ('caches' in globalThis) void caches.delete(CACHE)
})
