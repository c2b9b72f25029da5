import { kindOfName } from '../../domain/file-kinds.ts'
import { env } from '../../lib/backend/env.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import { safeName } from './limits.ts'
import type { SendOptions, Upload } from './upload-queue.ts'

const BUCKET = 'documents'
/** The storage service takes resumable uploads in pieces of exactly this size; smaller files go in one request. */
export const PIECE = 6 * 1024 * 1024
const RETRY_AFTER = [0, 1000, 3000, 8000, 20_000]

/** Seconds for which a browser may cache a file: the file behind a path never changes. */
const FOR_GOOD = '31536000'

type Sent = { document: string; path: string }

export function sendFile(upload: Upload, options: SendOptions): Promise<Sent> {
  return upload.resumable ? sendInPieces(upload, options) : sendAtOnce(upload, options)
}

async function sessionHeaders(): Promise<Record<string, string>> {
  const { data } = await supabase.auth.getSession()
  const token = data.session?.access_token ?? env.publishableKey
  return { apikey: env.publishableKey, authorization: `Bearer ${token}` }
}

const newPlace = ({ id, library, file }: Upload): Sent => ({
  document: id,
  path: `${library}/${id}/${crypto.randomUUID()}/${safeName(file.name)}`,
})

/** What storage-js sends, by the one way in which browsers tell how much of it has gone. */
async function sendAtOnce(upload: Upload, { onSent, signal }: SendOptions): Promise<Sent> {
  const place = newPlace(upload)
  const session = await sessionHeaders()
  signal.throwIfAborted()
  const { promise, resolve, reject } = Promise.withResolvers<Sent>()
  const request = new XMLHttpRequest()
  request.open('POST', `${env.supabaseUrl}/storage/v1/object/${BUCKET}/${place.path}`)
  for (const [name, value] of Object.entries({ ...session, ...headersOf(upload) }))
    request.setRequestHeader(name, value)
  request.upload.onprogress = ({ loaded }) => onSent(loaded)
  request.onload = () => (request.status < 300 ? resolve(place) : reject(refusalIn(request)))
  request.onerror = () => reject(new TypeError('Failed to fetch'))
  signal.addEventListener('abort', () => {
    request.abort()
    reject(signal.reason)
  })
  request.send(upload.file)
  return promise
}

const headersOf = ({ file }: Upload) => ({
  'content-type': kindOfName(file.name).mediaType,
  'cache-control': `max-age=${FOR_GOOD}`,
})

function refusalIn({ status, responseText }: XMLHttpRequest): unknown {
  try {
    return { status, ...JSON.parse(responseText) }
  } catch {
    return { status, message: '' }
  }
}

/** The TUS protocol. What has arrived stays on the server for a day, and where it is stays in this browser: after a
 *  pause, a lost network or a reload the same file continues where it stopped. */
async function sendInPieces(upload: Upload, { onSent, signal }: SendOptions): Promise<Sent> {
  const tus = await import('tus-js-client')
  const fresh = newPlace(upload)
  const { promise, resolve, reject } = Promise.withResolvers<Sent>()
  let place = fresh
  const transfer = new tus.Upload(upload.file, {
    endpoint: `${env.supabaseUrl}/storage/v1/upload/resumable`,
    chunkSize: PIECE,
    retryDelays: RETRY_AFTER,
    uploadDataDuringCreation: true,
    removeFingerprintOnSuccess: true,
    metadata: {
      bucketName: BUCKET,
      objectName: fresh.path,
      contentType: kindOfName(upload.file.name).mediaType,
      cacheControl: FOR_GOOD,
    },
    fingerprint: async ({ name, size, lastModified }) => [upload.library, name, size, lastModified].join('/'),
    // Fetched for each piece: a long upload outlives an access token.
    onBeforeRequest: async (request) => {
      for (const [name, value] of Object.entries(await sessionHeaders())) request.setHeader(name, value)
    },
    onProgress: onSent,
    onError: reject,
    onSuccess: () => resolve(place),
  })
  const [earlier] = await transfer.findPreviousUploads()
  const earlierPlace = placeOf(earlier?.metadata.objectName, upload.library)
  if (earlier && earlierPlace) {
    place = earlierPlace
    transfer.resumeFromPreviousUpload(earlier)
  }
  signal.addEventListener('abort', () => {
    void transfer.abort()
    reject(signal.reason)
  })
  signal.throwIfAborted()
  transfer.start()
  return promise
}

function placeOf(path: string | undefined, library: string): Sent | undefined {
  const [first, document] = path?.split('/') ?? []
  return path && document && first === library ? { document, path } : undefined
}
