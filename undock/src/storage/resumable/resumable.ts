import { randomUUID } from 'node:crypto'
import { ERRORS, Server, Metadata as TusMetadata, type Upload } from '@tus/server'
import { splitUrl } from '../../kernel/url.ts'
import { bucketOf } from '../buckets/buckets.ts'
import { checkBucketName, checkKey, checkMimeType, sizeLimit } from '../buckets/limits.ts'
import { asService, ownerOf, type StorageCaller } from '../caller.ts'
import type { StorageDeps } from '../deps.ts'
import { fromSystem, StorageError, storageError } from '../errors.ts'
import { checkHeaderValues } from '../http/header-values.ts'
import type { LoadedService } from '../http/lazy-service.ts'
import { RESUMABLE_PATH } from '../http/router.ts'
import { checkUpload, commitObject, isStored, metadataOf } from '../objects/upload.ts'
import { parseUserMetadata } from '../objects/upload-source.ts'
import { FolderBytes } from './bytes.ts'
import { Leases } from './leases.ts'
import { S3Bytes } from './s3-bytes.ts'
import { ResumableStore } from './store.ts'
import { type Metadata, type UploadRecord, Uploads } from './uploads.ts'

const PATH = RESUMABLE_PATH
const SIGNED_PATH = `${PATH}/sign`

/** A day, as on hosted projects. */
const LIFETIME = 24 * 60 * 60 * 1000
const UPLOAD_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

type Session = { readonly caller: StorageCaller; readonly signed: boolean; owner: string | null; upsert: boolean }

/** Serves TUS 1.0 (`/upload/resumable`). Policies are checked again at every step. @see storage-api src/http/routes/tus */
export async function createResumable(deps: StorageDeps): Promise<LoadedService> {
  const { files } = deps
  const uploads = new Uploads(deps.system)
  const leases = new Leases(uploads)
  const bytes =
    files.kind === 'folder'
      ? await FolderBytes.open(files, uploads)
      : new S3Bytes(files.store, uploads, leases, deps.config.file_size_limit)
  const store = new ResumableStore(uploads, bytes, LIFETIME)
  const sessions = new WeakMap<object, Session>()
  const finishing = new Map<string, Promise<void>>()

  const server = new Server({
    path: PATH,
    datastore: store,
    locker: leases,
    disableTerminationForFinishedUploads: true,
    allowedHeaders: ['Authorization', 'X-Upsert', 'Upload-Expires', 'ApiKey', 'x-signature'],
    namingFunction: () => randomUUID(),
    generateUrl: (request, { id }) => publicUrl(request, sessionOf(request).signed ? SIGNED_PATH : PATH, id),
    getFileIdFromRequest: (request) => idOf(request.url),
    maxSize: async (request, id) => {
      if (id === null) return deps.config.file_size_limit
      const { bucket, key } = await targetOf(request, id)
      return sizeLimit(await bucketOf(bucket, sessionOf(request).caller, deps), key, deps)
    },
    onIncomingRequest: async (request, id) => {
      await authorize(request, id)
      if (request.method === 'PATCH') await finishIfComplete(request, id)
    },
    onUploadCreate: (request, upload) => create(request, upload),
    onUploadFinish: async (request, upload) => {
      await finish(request, upload.id)
      return { headers: { 'Tus-Complete': '1' } }
    },
    onResponseError: (request, thrown) => {
      const error = fromSystem(thrown)
      const isOurs = error instanceof StorageError
      if (!isOurs && (!(thrown instanceof Error) || 'status_code' in thrown)) return undefined
      if (!isOurs || error.status >= 500)
        deps.log.error('storage: resumable upload failed', thrown, { method: request.method })
      return isOurs
        ? { status_code: error.status, body: error.message }
        : { status_code: 500, body: 'Internal Server Error' }
    },
  })

  function sessionOf(request: object): Session {
    const session = sessions.get(request)
    if (!session) throw new Error('a resumable request was not announced')
    return session
  }

  async function recordOf(id: string): Promise<UploadRecord> {
    const record = await uploads.find(id)
    if (!record) throw ERRORS.FILE_NOT_FOUND
    return record
  }

  /** An upload's target, from the header that creates it, later from its record. */
  async function targetOf(request: Request, id: string): Promise<{ bucket: string; key: string; metadata: Metadata }> {
    const metadata = request.method === 'POST' ? parseHeader(request) : (await recordOf(id)).metadata
    const bucket = checkBucketName(metadata.bucketName ?? '')
    return { bucket, key: checkKey(metadata.objectName ?? ''), metadata }
  }

  async function authorize(request: Request, id: string, writes = request.method !== 'HEAD'): Promise<void> {
    const session = sessionOf(request)
    const { bucket, key, metadata } = await targetOf(request, id)
    if (session.signed) {
      const signature = request.headers.get('x-signature')
      if (signature === null) throw storageError('InvalidSignature', { message: 'Missing x-signature header' })
      const token = await deps.signer.verifyUpload(signature, `${bucket}/${key}`)
      session.owner = token.owner ?? null
      session.upsert = token.upsert
      return
    }
    const record = request.method === 'POST' ? undefined : await recordOf(id)
    // Only the user who began an upload learns that it exists, whatever the policies allow.
    if (record && !isOwn(record, session)) throw ERRORS.FILE_NOT_FOUND
    if (!writes) return
    // A repeated last step of a finished upload must not conflict with its own object.
    if (record?.isCommitted) return
    const length = record?.size ?? (Number(request.headers.get('upload-length')) || undefined)
    const content = { mimetype: metadata.contentType ?? undefined, contentLength: length }
    const object = { bucket, key, owner: session.owner, metadata: content, userMetadata: userMetadataOf(metadata) }
    await checkUpload(object, session.upsert, session.caller, deps)
  }

  async function create(request: Request, upload: Upload): Promise<{ metadata: Metadata }> {
    const { caller, owner, upsert } = sessionOf(request)
    const fields: Metadata = { ...upload.metadata }
    const bucket = await bucketOf(fields.bucketName ?? '', caller, deps)
    checkHeaderValues({ contentType: fields.contentType })
    if (fields.contentType) checkMimeType(fields.contentType, bucket.allowed_mime_types)
    const seconds = fields.cacheControl ?? ''
    const metadata = { ...fields, cacheControl: /^-?\d+$/.test(seconds) ? `max-age=${seconds}` : 'no-cache' }
    const created = deps.clock.now()
    upload.metadata = metadata
    upload.creation_date = created.toISOString()
    await uploads.insert({ id: upload.id, size: upload.size ?? null, metadata, owner, upsert, created })
    return { metadata }
  }

  /** Creates a complete upload's object once, even if several requests find it complete. */
  function finish(request: Request, id: string): Promise<void> {
    const running = finishing.get(id)
    if (running) return running
    const started = leases.during(id, () => complete(request, id)).finally(() => finishing.delete(id))
    finishing.set(id, started)
    return started
  }

  async function complete(request: Request, id: string): Promise<void> {
    const record = await recordOf(id)
    if (record.isCommitted) return
    const { metadata } = record
    const bucket = metadata.bucketName ?? ''
    const key = metadata.objectName ?? ''
    const location = { bucket, version: id }
    // If the process died right after writing the row, the object is this upload's and no conflict.
    if (!(await isStored({ ...location, key }, FINISHING, deps.db))) {
      await authorize(request, id, true)
      const written = await bytes.finish(record, location)
      const object = {
        ...location,
        key,
        owner: record.owner,
        metadata: metadataOf(written, {
          mimeType: metadata.contentType || 'application/octet-stream',
          cacheControl: metadata.cacheControl ?? 'no-cache',
          robotsTag: undefined,
        }),
        userMetadata: userMetadataOf(metadata),
      }
      await commitObject(object, record.upsert, FINISHING, deps)
    }
    await uploads.commit(id)
    await bytes.discard({ ...record, isCommitted: true })
  }

  /** The process may have died between the last byte and the object's row. */
  async function finishIfComplete(request: Request, id: string): Promise<void> {
    const record = await uploads.find(id)
    if (!record || record.isCommitted || record.size === null) return
    if ((await bytes.received(record)) === record.size) await finish(request, id)
  }

  async function expire(): Promise<void> {
    const gone = await uploads.expire(new Date(deps.clock.now().getTime() - LIFETIME))
    for (const record of gone) await bytes.discard(record)
  }

  async function handle(request: Request, caller: StorageCaller): Promise<Response> {
    const signed = splitUrl(request.url).pathname.startsWith(SIGNED_PATH)
    const upsert = request.headers.get('x-upsert') === 'true'
    sessions.set(request, { caller, signed, owner: ownerOf(caller), upsert })

    const id = idOf(request.url)
    const response = await server.handleWeb(request)
    // The HEAD waited for an interrupted request, whose last bytes may have completed the upload.
    if (id !== undefined && request.method === 'HEAD' && response.ok) await finishIfComplete(request, id)
    // The gateway handles CORS.
    response.headers.delete('access-control-allow-origin')
    response.headers.delete('access-control-expose-headers')
    return response
  }

  await expire()
  return {
    handle,
    expire,
    close: async () => {
      await Promise.allSettled(finishing.values())
    },
  }
}

const isOwn = (record: UploadRecord, { caller, owner }: Session): boolean =>
  caller.principal.role === 'service_role' || record.owner === owner

/** Permission was checked after the last bytes; the rest is done as the service. */
const FINISHING: StorageCaller = asService({
  principal: { role: 'service_role', claims: { role: 'service_role' } },
  authenticated: true,
  operation: 'storage.tus.upload.part',
  method: 'PATCH',
  path: '/upload/resumable',
  headers: '{}',
})

function idOf(url: string): string | undefined {
  const last = new URL(url).pathname.split('/').at(-1) ?? ''
  return UPLOAD_ID.test(last) ? last : undefined
}

/** The upload's URL, on the host that the client used. */
function publicUrl(request: Request, path: string, id: string): string {
  const url = new URL(request.url)
  const host = request.headers.get('x-forwarded-host') ?? url.host
  const protocol = request.headers.get('x-forwarded-proto') ?? url.protocol.slice(0, -1)
  return `${protocol}://${host}${path}/${id}`
}

function parseHeader(request: Request): Metadata {
  const header = request.headers.get('upload-metadata')
  if (header === null) throw storageError('InvalidRequest', { message: 'Metadata header is required' })
  try {
    return TusMetadata.parse(header)
  } catch (error) {
    throw storageError('InvalidParameter', { message: 'Invalid Upload-Metadata header', cause: error })
  }
}

const userMetadataOf = ({ metadata }: Metadata): Record<string, unknown> | null =>
  metadata ? parseUserMetadata(metadata) : null
