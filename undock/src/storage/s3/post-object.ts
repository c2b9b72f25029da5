import { bucketOf } from '../buckets/buckets.ts'
import { checkBucketName, sizeLimit } from '../buckets/limits.ts'
import type { StorageCaller } from '../caller.ts'
import { ownerOf } from '../caller.ts'
import type { StorageDeps } from '../deps.ts'
import { storageError } from '../errors.ts'
import { storeObject } from '../objects/upload.ts'
import { readForm } from '../objects/upload-source.ts'
import { authenticate } from './authenticate.ts'
import { userMetadataOf } from './call.ts'
import { checkPolicy, type LengthRange } from './post-policy.ts'
import { fromFields } from './signature.ts'

/** Handles a browser's upload form, signed by a policy among its fields. @throws {StorageError} */
export async function postObject(
  request: Request,
  bucketName: string,
  callerOf: (principal: StorageCaller['principal'], operation: string) => StorageCaller,
  deps: StorageDeps,
): Promise<Response> {
  const bucket = checkBucketName(bucketName)
  const form = await readForm(request, { fields: 30, fileSize: deps.config.file_size_limit })
  const fields = lowerCased(form.fields)
  const policy = fields.get('policy') ?? ''
  const signature = fromFields(fields)
  const accepts = (signer: { acceptsPolicy(policy: string): boolean }) => signer.acceptsPolicy(policy)
  const { principal } = await authenticate(signature, accepts, deps)
  const range = checkPolicy(policy, fields, bucket, deps.clock.now())

  const caller = callerOf(principal, 'storage.s3.upload')
  const key = (fields.get('key') ?? '').replace(/\$\{filename\}/g, () => form.fileName)
  const row = await bucketOf(bucket, caller, deps)
  const limit = Math.min(sizeLimit(row, key, deps), range?.most ?? Number.POSITIVE_INFINITY)
  const source = {
    mimeType: fields.get('content-type') || 'application/octet-stream',
    cacheControl: fields.get('cache-control') ?? 'no-cache',
    userMetadata: userMetadataOf(fields),
    robotsTag: undefined,
    declaredLength: undefined,
    contentLength: undefined,
    body: withinRange(form.body, range, limit),
  }
  const stored = await storeObject(
    { source, target: { bucket, key, upsert: true, owner: ownerOf(caller) }, bucket: row },
    caller,
    deps,
  )
  return new Response(null, { headers: { etag: stored.metadata?.eTag ?? '' } })
}

function lowerCased(fields: ReadonlyMap<string, string>): Map<string, string> {
  const lower = new Map<string, string>()
  for (const [name, value] of fields) {
    if (lower.has(name.toLowerCase())) {
      throw storageError('InvalidSignature', { message: 'Duplicate form field in POST policy request' })
    }
    lower.set(name.toLowerCase(), value)
  }
  return lower
}

async function* withinRange(body: AsyncIterable<Uint8Array>, range: LengthRange | null, limit: number) {
  let size = 0
  for await (const bytes of body) {
    size += bytes.byteLength
    if (size > limit) throw storageError('EntityTooLarge')
    yield bytes
  }
  if (range && size < range.least) throw storageError('EntityTooSmall')
}
