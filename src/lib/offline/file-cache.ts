import { onSignOut } from '../session/sign-out-cleanup.ts'

const CACHE = 'files-read'
/** Recently opened files, of at most 50 MB each; most have a hundredth of that. */
const MAX_FILES = 40
/** Files that stay, whether or not they were opened. */
const PINNED = 'files-pinned'
const LANES = 3
/** Ends with the session, so that files arriving later aren't stored. */
let session = new AbortController()

const addressOf = (path: string) => `/kept/${encodeURIComponent(path)}`

/** Fetches a file and caches it. The cached copy is used only if the network fails, not if the backend refuses.
 *  @param isUnreachable Whether a failure means no response. */
export async function withCachedFile(
  path: string,
  fetchFile: () => Promise<Blob>,
  isUnreachable: (error: unknown) => boolean,
): Promise<Blob> {
  const { signal } = session
  try {
    const file = await fetchFile()
    void keep(path, file, signal)
    return file
  } catch (error) {
    const cached = isUnreachable(error) ? await find(path) : undefined
    if (cached) return cached
    throw error
  }
}

async function keep(path: string, file: Blob, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  // The cache is missing without TLS, and full disks reject: then nothing is stored.
  try {
    const cache = await caches.open(CACHE)
    await cache.delete(addressOf(path))
    await cache.put(addressOf(path), new Response(file))
    const kept = await cache.keys()
    await Promise.all(kept.slice(0, Math.max(0, kept.length - MAX_FILES)).map((request) => cache.delete(request)))
  } catch {}
}

/** Deletes opened files, but not pinned ones. */
export async function forgetOpenedFiles(): Promise<void> {
  if ('caches' in globalThis) await caches.delete(CACHE)
}

async function find(path: string): Promise<Blob | undefined> {
  if (!('caches' in globalThis)) return undefined
  for (const name of [CACHE, PINNED]) {
    const cached = await (await caches.open(name)).match(addressOf(path))
    if (cached) return cached.blob()
  }
}

/** Downloads missing files and keeps them until `unpinFiles`.
 *  @param onProgress Called with the number of stored files.
 *  @throws if one can't be fetched or stored; earlier ones stay. */
export async function pinFiles(
  paths: readonly string[],
  fetchFile: (path: string) => Promise<Blob>,
  onProgress: (done: number) => void,
): Promise<void> {
  const { signal } = session
  const cache = await caches.open(PINNED)
  const waiting = [...paths]
  let done = 0
  const work = async () => {
    for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
      const address = addressOf(path)
      if (!(await cache.match(address))) {
        const file = await fetchFile(path)
        signal.throwIfAborted()
        await cache.put(address, new Response(file))
      }
      onProgress(++done)
    }
  }
  await Promise.all(Array.from({ length: LANES }, work))
}

/** Deletes pinned files except these. */
export async function unpinFiles(except: ReadonlySet<string>): Promise<void> {
  const cache = await caches.open(PINNED)
  const wanted = new Set([...except].map((path) => new URL(addressOf(path), location.href).href))
  const outdated = (await cache.keys()).filter(({ url }) => !wanted.has(url))
  await Promise.all(outdated.map((request) => cache.delete(request)))
}

onSignOut(() => {
  session.abort()
  session = new AbortController()
  if (!('caches' in globalThis)) return
  void caches.delete(CACHE)
  void caches.delete(PINNED)
})
