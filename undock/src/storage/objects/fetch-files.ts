import { tryJson } from '../../kernel/json.ts'
import type { Contents, Location } from '../files/contents.ts'

/** An object with a local row. @property size Bytes, or null if unknown. */
export type RemoteObject = Location & { readonly name: string; readonly size: number | null }

/** Another project's Storage. @property key A secret key, which bypasses row security. */
export type RemoteStorage = { readonly url: string; readonly key: string }

export type FetchedFiles = {
  readonly files: number
  readonly bytes: number
  readonly failed: readonly { readonly object: RemoteObject; readonly reason: string }[]
}

/** Concurrent downloads: the other project's clients shouldn't notice. */
const DOWNLOADS = 4

/** Bytes; hosted projects' limit (S3's is 5 TB). */
const MAX_FILE_BYTES = 500 * 1024 ** 3

/** Downloads objects' files that are still missing.
 *  @param onFile Called after each file with the bytes so far.
 *  @throws the reason of `signal` when aborted; downloaded files stay. */
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
    // A shared iterator, so that each object is taken once.
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
  // A URL would drop these and address another route, to which the key would be sent.
  if (segments.some((segment) => segment === '.' || segment === '..'))
    throw new Error('its name has a part "." or "..", which no address can hold')
  const path = segments.map(encodeURIComponent).join('/')
  const response = await fetch(`${url}/storage/v1/object/authenticated/${path}`, {
    headers: { apikey: key, authorization: `Bearer ${key}` },
    // The key must not be sent to another address.
    redirect: 'error',
    signal,
  })
  if (!response.ok || !response.body) throw new Error(await errorText(response))
  const { size } = await store.write(object, response.body, object.size ?? MAX_FILE_BYTES)
  if (object.size === null || object.size === size) return size
  await store.remove([object])
  throw new Error(`${size} bytes arrived, and its row says ${object.size}`)
}

/** Storage answers with JSON; a proxy in front of it may answer with a page. */
async function errorText(response: Response): Promise<string> {
  const answer = tryJson(await response.text())
  const isNamed = typeof answer === 'object' && answer && 'message' in answer && typeof answer.message === 'string'
  return isNamed ? `${response.status}: ${answer.message}` : `status ${response.status}`
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message
}
