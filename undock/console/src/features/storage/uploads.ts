import { ApiError, changesHeader, service } from '../../lib/api.ts'
import { createStore } from '../../lib/state.ts'
import { encodeKey, folderOf } from './keys.ts'
import { removePlaceholder, type View } from './storage.ts'

export type Upload = {
  readonly id: number
  readonly file: File
  readonly view: View
  readonly key: string
  /** Bytes that the service received. */
  readonly sent: number
  readonly state: 'waiting' | 'running' | 'done' | 'failed' | 'cancelled'
  readonly error: ApiError | null
}

/** The size from which uploads are resumable, and of each part: the values that hosted projects recommend and require. */
const RESUMABLE = 6 * 1024 * 1024
const AT_ONCE = 3

const uploads = createStore<readonly Upload[]>([])
let lastId = 0
const cancels = new Map<number, () => void>()
let whenDone: () => void = () => undefined

const change = (id: number, part: Partial<Upload>): void =>
  uploads.set(uploads.get().map((one) => (one.id === id ? { ...one, ...part } : one)))

/** All uploads since the page was loaded; they continue while other screens are open. */
export const useUploads = uploads.use

/** @param onDone Called after each uploaded file. */
export function startUploads(view: View, files: readonly { file: File; key: string }[], onDone: () => void): void {
  whenDone = onDone
  uploads.set([
    ...uploads.get(),
    ...files.map(({ file, key }) => ({
      id: ++lastId,
      file,
      view,
      key,
      sent: 0,
      state: 'waiting' as const,
      error: null,
    })),
  ])
  startNext()
}

/** @param isReplacing Whether to replace a file with the same key. */
export function retryUpload(upload: Upload, isReplacing: boolean): void {
  change(upload.id, { state: 'running', sent: 0, error: null })
  void run(upload, isReplacing)
}

export function cancelUpload(id: number): void {
  change(id, { state: 'cancelled' })
  cancels.get(id)?.()
}

export const forgetUploads = (): void =>
  uploads.set(uploads.get().filter(({ state }) => state === 'running' || state === 'waiting'))

function startNext(): void {
  const free = AT_ONCE - uploads.get().filter(({ state }) => state === 'running').length
  for (const upload of uploads
    .get()
    .filter(({ state }) => state === 'waiting')
    .slice(0, Math.max(0, free))) {
    change(upload.id, { state: 'running' })
    void run(upload, false)
  }
}

async function run(upload: Upload, isReplacing: boolean): Promise<void> {
  const { id, file, view, key } = upload
  try {
    await (file.size > RESUMABLE ? sendResumable(upload, isReplacing) : sendWhole(upload, isReplacing))
    change(id, { state: 'done', sent: file.size })
    await removePlaceholder(view, folderOf(key))
    whenDone()
  } catch (error) {
    if (uploads.get().find((one) => one.id === id)?.state !== 'cancelled')
      change(id, {
        state: 'failed',
        error: error instanceof ApiError ? error : new ApiError(0, { message: String(error) }),
      })
  } finally {
    cancels.delete(id)
    startNext()
  }
}

async function sendWhole({ id, file, view, key }: Upload, isReplacing: boolean): Promise<void> {
  const abort = new AbortController()
  cancels.set(id, () => abort.abort())
  await service(`/storage/v1/object/${encodeURIComponent(view.bucket)}/${encodeKey(key)}`, {
    method: 'POST',
    raw: file,
    as: view.as,
    signal: abort.signal,
    headers: { 'content-type': typeOf(file), 'x-upsert': String(isReplacing), 'cache-control': 'max-age=3600' },
  })
}

async function sendResumable({ id, file, view, key }: Upload, isReplacing: boolean): Promise<void> {
  const tus = await import('tus-js-client')
  class OwnOriginStack extends tus.DefaultHttpStack {
    /** The service returns a URL of the API, which this page can't call. */
    override createRequest(method: string, url: string) {
      const { pathname, search } = new URL(url, location.href)
      const path = pathname.startsWith('/api/services/') ? pathname : `/api/services${pathname}`
      return super.createRequest(method, path + search)
    }
  }
  await new Promise<void>((resolve, reject) => {
    const upload = new tus.Upload(file, {
      endpoint: '/api/services/storage/v1/upload/resumable',
      httpStack: new OwnOriginStack({}),
      chunkSize: RESUMABLE,
      // No project data is kept in this browser.
      storeFingerprintForResuming: false,
      retryDelays: [0, 1_000, 3_000, 5_000],
      headers: {
        'x-upsert': String(isReplacing),
        ...changesHeader(),
        ...(view.as === undefined ? {} : { 'x-console-as': view.as }),
      },
      metadata: { bucketName: view.bucket, objectName: key, contentType: typeOf(file), cacheControl: '3600' },
      onProgress: (sent) => change(id, { sent }),
      onSuccess: () => resolve(),
      onError: (error) => reject(refusalOf(error)),
    })
    cancels.set(id, () => {
      void upload.abort(true).catch(() => undefined)
      reject(new ApiError(0, { message: 'Cancelled' }))
    })
    upload.start()
  })
}

/** The service's own message, without the client's text about the request. */
function refusalOf(error: Error): ApiError {
  const response = 'originalResponse' in error ? (error.originalResponse as TusResponse | null) : null
  const text = response?.getBody() ?? ''
  try {
    return new ApiError(response?.getStatus() ?? 0, JSON.parse(text))
  } catch {
    return new ApiError(response?.getStatus() ?? 0, { message: text || error.message })
  }
}
type TusResponse = { getStatus(): number; getBody(): string }

const typeOf = ({ type }: File): string => type || 'application/octet-stream'

/** @property path Relative to the dropped or chosen folder. */
export type Dropped = { readonly file: File; readonly path: string }

/** The dropped files, including those of dropped folders. */
export async function droppedFiles({ items }: DataTransfer): Promise<Dropped[]> {
  // Collected synchronously, because the list of items is empty after the first await.
  const entries = [...items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null)
  return (await Promise.all(entries.map((entry) => filesOf(entry, '')))).flat()
}

async function filesOf(entry: FileSystemEntry, folder: string): Promise<Dropped[]> {
  const path = folder + entry.name
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject))
    return [{ file, path }]
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader()
  const files: Dropped[] = []
  for (;;) {
    // Browsers list a hundred at a time, and none at the end.
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
    if (some.length === 0) return files
    files.push(...(await Promise.all(some.map((one) => filesOf(one, `${path}/`)))).flat())
  }
}
