import { z } from 'zod'
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

const Policy = z.object({
  expiration: z.string().optional(),
  conditions: z.array(z.union([z.array(z.union([z.string(), z.number()])), z.record(z.string(), z.string())])),
})

/** Fields that need no condition, because they carry the signature itself. */
const EXEMPT = new Set([
  'policy',
  'x-amz-signature',
  'x-amz-algorithm',
  'x-amz-credential',
  'x-amz-date',
  'x-amz-security-token',
])

type LengthRange = { readonly least: number; readonly most: number }

/** Checks a form against its signed policy: not expired, every condition met, every field named.
 *  @param fields By lower-case names.
 *  @returns the policy's limits on the file's length.
 *  @throws {StorageError} InvalidSignature for an invalid policy, ExpiredToken, AccessDenied
 *  @see storage-api src/storage/protocols/s3/policy.ts */
function checkPolicy(
  encoded: string,
  fields: ReadonlyMap<string, string>,
  bucket: string,
  now: Date,
): LengthRange | null {
  const { expiration, conditions } = read(encoded)
  const end = Date.parse(expiration ?? '')
  if (Number.isNaN(end)) throw invalid(expiration ? 'Invalid policy expiration' : 'Missing policy expiration')
  if (end < now.getTime()) throw storageError('ExpiredToken')

  const submitted = new Map([...fields, ['bucket', bucket]])
  const covered = new Set<string>()
  let length: LengthRange | null = null
  for (const condition of conditions) {
    if (Array.isArray(condition) && condition[0] === 'content-length-range') {
      length = { least: Number(condition[1]), most: Number(condition[2]) }
      continue
    }
    const { field, value, operator } = parse(condition)
    const text = submitted.get(field)
    const holds = operator === 'eq' ? text === value : text?.startsWith(value) === true
    if (!holds) {
      const fault = operator === 'eq' ? 'does not match' : `does not start with "${value}"`
      throw denied(`"${field}" ${fault}`)
    }
    covered.add(field)
  }
  for (const field of submitted.keys()) {
    if (covered.has(field) || EXEMPT.has(field) || field.startsWith('x-ignore-')) continue
    throw denied(`field "${field}" is not covered by the policy`)
  }
  return length
}

function read(encoded: string): z.infer<typeof Policy> {
  try {
    return Policy.parse(JSON.parse(Buffer.from(encoded, 'base64').toString('utf8')))
  } catch (cause) {
    throw storageError('InvalidSignature', { message: 'Invalid POST policy', cause })
  }
}

type Condition = z.infer<typeof Policy>['conditions'][number]
type Parsed = { readonly field: string; readonly value: string; readonly operator: 'eq' | 'starts-with' }

function parse(condition: Condition): Parsed {
  if (!Array.isArray(condition)) {
    const [entry, ...others] = Object.entries(condition)
    if (!entry || others.length > 0) throw invalid('Invalid policy condition')
    return { field: entry[0].toLowerCase(), value: entry[1], operator: 'eq' }
  }
  const [operator, target, value] = condition
  if (operator !== 'eq' && operator !== 'starts-with') throw invalid('Unsupported policy condition')
  if (typeof target !== 'string' || !target.startsWith('$')) throw invalid('Invalid policy condition')
  return { field: target.slice(1).toLowerCase(), value: String(value ?? ''), operator }
}

const invalid = (message: string) => storageError('InvalidSignature', { message })
const denied = (fault: string) => storageError('AccessDenied', { message: `Policy condition failed: ${fault}` })
