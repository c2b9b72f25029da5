import type { StorageDeps } from '../deps.ts'
import { storageError } from '../errors.ts'
import type { BucketRow } from './rows.ts'

/** storage-api's MAX_OBJECTS_PER_REQUEST. */
export const MAX_OBJECTS_PER_REQUEST = 1000

/** Bytes of JSON that an upload may carry in `metadata`. */
export const MAX_USER_METADATA = 1024 * 1024

// S3's safe characters and those needing special handling; refuses the rest, such as NUL and non-ASCII. Dots and
// slashes are harmless because a key never becomes a path on disk.
const OBJECT_KEY = /^[A-Za-z0-9_/!.*'() &$=@;:+,?-]+$/
const BUCKET_NAME = /^[A-Za-z0-9_!.*'() &$=@;:+,?-]{1,100}$/

/** S3's limit, which also fits the index on (bucket, name). */
const MAX_KEY_LENGTH = 1024

export const isValidKey = (key: string): boolean => key.length <= MAX_KEY_LENGTH && OBJECT_KEY.test(key)
export const isValidBucketName = (name: string): boolean => BUCKET_NAME.test(name)

/** @throws {StorageError} InvalidKey */
export function checkKey(key: string): string {
  if (!isValidKey(key)) throw storageError('InvalidKey', { message: `Invalid key: ${key}` })
  return key
}

/** @throws {StorageError} InvalidBucketName */
export function checkBucketName(name: string): string {
  if (!isValidBucketName(name)) throw storageError('InvalidBucketName')
  return name
}

/** Dashboards keep an empty folder with such an object, which must be empty and may have any type. */
export const isEmptyFolder = (key: string): boolean => key.endsWith('.emptyFolderPlaceholder')

const UNITS: Record<string, number> = { gb: 1e9, mb: 1e6, kb: 1e3, b: 1 }

/** Parses sizes in decimal units, unlike config.toml: `20mb` is 20,000,000 bytes. @throws {StorageError} InvalidRequest */
export function parseFileSize(size: string): number {
  const [, digits, unit] = /^([0-9]+(?:\.[0-9]+)?)(gb|mb|kb|b)$/i.exec(size) ?? []
  if (digits === undefined || unit === undefined) {
    throw storageError('InvalidRequest', { message: 'Invalid file size format, hint: use 20GB / 20MB / 30KB / 3B' })
  }
  return Math.round(Number(Number.parseFloat(digits).toPrecision(3)) * (UNITS[unit.toLowerCase()] ?? 1))
}

/** Returns an object's maximum size in bytes: the lesser of the storage's and the bucket's limit. */
export function sizeLimit(bucket: BucketRow, key: string, { config }: StorageDeps): number {
  if (isEmptyFolder(key)) return 0
  const own = bucket.file_size_limit === null ? 0 : Number(bucket.file_size_limit)
  return own > 0 ? Math.min(own, config.file_size_limit) : config.file_size_limit
}

const ALLOWED_MIME_TYPE = /^([a-zA-Z0-9\-+.]+)\/([a-zA-Z0-9\-+.]+)(;\s*charset=[a-zA-Z0-9-]+)?$|\*$/

/** Checks a bucket's list of types. @throws {StorageError} InvalidMimeType */
export function checkAllowedMimeTypes(types: readonly string[]): void {
  for (const type of types) {
    if (type.length > 1000 || !ALLOWED_MIME_TYPE.test(type)) throw unsupportedMimeType(type)
  }
}

/** Checks a content type against a bucket's list: `image/*` allows every image, an empty list everything.
 *  @throws {StorageError} InvalidMimeType */
export function checkMimeType(type: string, allowed: readonly string[] | null): void {
  if (allowed === null || allowed.length === 0) return
  const [family, kind] = type.split('/')
  const fits = allowed.some((entry) => {
    const [allowedFamily, allowedKind] = entry.split('/')
    return allowedFamily === family && (allowedKind === '*' || allowedKind === kind)
  })
  if (kind === undefined || !fits) throw unsupportedMimeType(type)
}

const unsupportedMimeType = (type: string) =>
  storageError('InvalidMimeType', { message: `mime type ${type} is not supported` })
