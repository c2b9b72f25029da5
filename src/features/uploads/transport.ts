import { kindOfName } from '../../domain/file-kinds.ts'
import { env } from '../../lib/backend/env.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import { safeName } from './limits.ts'
import type { SendOptions, Upload } from './upload-queue.ts'

const BUCKET = 'documents'
/** Bytes. The storage service requires exactly this piece size for resumable uploads; smaller files use one request. */
export const PIECE = 6 * 1024 * 1024
const RETRY_AFTER = [0, 1000, 3000, 8000, 20_000]

/** Seconds of browser caching: a path's content never changes. */
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

/** Sends storage-js' request with XMLHttpRequest, the only way to get upload progress. */
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

/** Uploads with TUS. Received parts stay on the server for a day, and their location in this browser, so that the
 *  upload resumes after a pause, a lost connection or a reload. */
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
    // Per piece, because a long upload outlives an access token.
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
