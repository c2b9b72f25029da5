import type { Contents, Location } from '../files/contents.ts'

/** An object whose row is here. @property size Bytes, null where its row does not say. */
export type RemoteObject = Location & { readonly name: string; readonly size: number | null }

/** Another project's Storage. @property key A secret key: row security does not apply to it. */
export type RemoteStorage = { readonly url: string; readonly key: string }

export type FetchedFiles = {
  readonly files: number
  readonly bytes: number
  readonly failed: readonly { readonly object: RemoteObject; readonly reason: string }[]
}

/** Downloads under way at a time: the other project's other clients should not notice. */
const DOWNLOADS = 4

/** Storage's own largest size of a file (5 TB is S3's; hosted projects end at 500 GB). */
const LARGEST = 500 * 1024 ** 3

/** Downloads the files of objects into the place that their rows name. One that is there already is not asked for.
 *  @param onFile Called after each file with the bytes so far.
 *  @throws the reason of `signal` when it is aborted; what was downloaded until then stays. */
export async function fetchFiles(
  store: Contents,
  objects: readonly RemoteObject[],
  from: RemoteStorage,
  { signal, onFile }: { readonly signal: AbortSignal; onFile(files: number, bytes: number): void },
): Promise<FetchedFiles> {
  const waiting = objects.values()
  const failed: { object: RemoteObject; reason: string }[] = []
  let [files, bytes] = [0, 0]
  const work = async (): Promise<void> => {
    // One iterator for all: each object is taken once.
    for (const object of waiting) {
      if (await isHere(store, object)) continue
      try {
        bytes += await fetchFile(store, object, from, signal)
        files += 1
        onFile(files, bytes)
      } catch (error) {
        signal.throwIfAborted()
        failed.push({ object, reason: reasonOf(error) })
      }
    }
  }
  await Promise.all(Array.from({ length: DOWNLOADS }, work))
  return { files, bytes, failed }
}

const isHere = (store: Contents, object: RemoteObject): Promise<boolean> =>
  store.size(object).then(
    () => true,
    () => false,
  )

async function fetchFile(
  store: Contents,
  object: RemoteObject,
  { url, key }: RemoteStorage,
  signal: AbortSignal,
): Promise<number> {
  const segments = [object.bucket, ...object.name.split('/')]
  // A URL leaves them out, and names something else than the object: another route, to which the key would go.
  if (segments.some((segment) => segment === '.' || segment === '..'))
    throw new Error('its name has a part "." or "..", which no address can hold')
  const path = segments.map(encodeURIComponent).join('/')
  const response = await fetch(`${url}/storage/v1/object/authenticated/${path}`, {
    headers: { apikey: key, authorization: `Bearer ${key}` },
    // The key must not travel to another address.
    redirect: 'error',
    signal,
  })
  if (!response.ok || !response.body) throw new Error(await errorText(response))
  const { size } = await store.write(object, response.body, object.size ?? LARGEST)
  if (object.size === null || object.size === size) return size
  await store.remove([object])
  throw new Error(`${size} bytes arrived, and its row says ${object.size}`)
}

/** Storage answers with JSON; what is before it may answer with a page. */
async function errorText(response: Response): Promise<string> {
  const text = await response.text()
  try {
    const { message } = JSON.parse(text) as { message?: unknown }
    if (typeof message === 'string') return `${response.status}: ${message}`
  } catch {
    // No JSON.
  }
  return `status ${response.status}`
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message
}
