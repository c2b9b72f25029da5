import { env } from '../../lib/env.ts'
import { supabase } from '../../lib/supabase.ts'
import { safeName, typeOf } from './limits.ts'
import type { SendOptions, Upload } from './upload-queue.ts'

const BUCKET = 'documents'
/** The storage service takes resumable uploads in pieces of exactly this size; smaller files go in one request. */
export const PIECE = 6 * 1024 * 1024
const RETRY_AFTER = [0, 1000, 3000, 8000, 20_000]

type Sent = { document: string; path: string }

export function sendFile(upload: Upload, options: SendOptions): Promise<Sent> {
  return upload.resumable ? sendInPieces(upload, options) : sendAtOnce(upload, options)
}

const newPlace = (upload: Upload): Sent => {
  const document = crypto.randomUUID()
  return { document, path: `${upload.library}/${document}/${crypto.randomUUID()}/${safeName(upload.file.name)}` }
}

async function sendAtOnce(upload: Upload, { signal }: SendOptions): Promise<Sent> {
  const place = newPlace(upload)
  const { error } = await supabase.storage.from(BUCKET).upload(place.path, upload.file, {
    contentType: typeOf(upload.file.name) ?? 'application/octet-stream',
    cacheControl: '31536000',
  })
  if (error) throw error
  signal.throwIfAborted()
  return place
}

/** The TUS protocol. What has arrived stays on the server for a day, and where it is stays in this browser: after a
 *  pause, a lost network or a reload the same file goes on where it stopped. */
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
      contentType: typeOf(upload.file.name) ?? 'application/octet-stream',
      cacheControl: '31536000',
    },
    fingerprint: async ({ name, size, lastModified }) => [upload.library, name, size, lastModified].join('/'),
    // Asked before each piece: a long upload outlives an access token.
    onBeforeRequest: async (request) => {
      const { data } = await supabase.auth.getSession()
      request.setHeader('apikey', env.publishableKey)
      request.setHeader('authorization', `Bearer ${data.session?.access_token ?? env.publishableKey}`)
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
