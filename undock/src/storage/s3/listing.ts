import { sql } from '../../kernel/sql.ts'
import { bucketOf } from '../buckets/buckets.ts'
import { rowsOf, runAs } from '../caller.ts'
import { decodeCursor, type Entry, encodeCursor, flatSql } from '../objects/listing.ts'
import { encodingOf, numberOf, type S3Call, xml } from './call.ts'
import type { XmlNode } from './xml.ts'

const MAX_KEYS = 1000

type ListingRequest = { prefix: string; delimiter: string; after: string; limit: number }
type Page = { objects: Entry[]; folders: string[]; last: string | undefined }
type Encode = (text: string) => string

/** ListObjectsV2: pages by an opaque token, or after a key. */
export async function listObjectsV2(call: S3Call): Promise<Response> {
  const { query, bucket } = call
  const encoding = encodingOf(query)
  const token = query.get('continuation-token') || undefined
  const after = token === undefined ? (query.get('start-after') ?? '') : decodeCursor(token).after
  const request = listingRequestOf(query, after)
  const { objects, folders, last } = await pageOf(request, call)
  const next =
    last === undefined ? undefined : encodeCursor({ after: last, order: 'asc', column: 'name', columnAfter: '' })
  return xml('ListBucketResult', {
    Name: bucket,
    Prefix: request.prefix,
    ContinuationToken: token,
    StartAfter: query.get('start-after') || undefined,
    ...contents(objects, folders, encoderOf(encoding)),
    IsTruncated: next !== undefined,
    MaxKeys: request.limit,
    Delimiter: request.delimiter || undefined,
    EncodingType: encoding,
    KeyCount: objects.length + folders.length,
    NextContinuationToken: next,
  })
}

/** ListObjects: pages by the previous page's last key or folder, also reported as `Marker`, like upstream. */
export async function listObjects(call: S3Call): Promise<Response> {
  const { query, bucket } = call
  const encoding = encodingOf(query)
  const marker = query.get('marker') || undefined
  const request = listingRequestOf(query, marker ?? '')
  const { objects, folders, next } = await pageAfterMarker(request, call)
  return xml('ListBucketResult', {
    Name: bucket,
    Prefix: request.prefix,
    Marker: next ?? marker,
    NextMarker: request.delimiter === '' ? undefined : next,
    MaxKeys: request.limit,
    IsTruncated: next !== undefined,
    ...contents(objects, folders, encoderOf(encoding)),
    Delimiter: request.delimiter || undefined,
    EncodingType: encoding,
  })
}

const ONLY_VERSION = 'null'

/** ListObjectVersions, like S3 without versioning: each object is its own latest version. Tools list versions before
 *  they empty a bucket (`rclone purge`); upstream answers with a list of objects, in which they find nothing to delete. */
export async function listObjectVersions(call: S3Call): Promise<Response> {
  const { query, bucket } = call
  const encoding = encodingOf(query)
  const encode = encoderOf(encoding)
  const marker = query.get('key-marker') ?? ''
  const request = listingRequestOf(query, marker)
  const { objects, folders, next } = await pageAfterMarker(request, call)
  return xml('ListVersionsResult', {
    Name: bucket,
    Prefix: encode(request.prefix),
    KeyMarker: encode(marker),
    VersionIdMarker: query.get('version-id-marker') ?? '',
    NextKeyMarker: next === undefined ? undefined : encode(next),
    NextVersionIdMarker: next === undefined ? undefined : ONLY_VERSION,
    MaxKeys: request.limit,
    Delimiter: encode(request.delimiter) || undefined,
    IsTruncated: next !== undefined,
    Version: objects.map((entry) => ({ ...propertiesOf(entry, encode), VersionId: ONLY_VERSION, IsLatest: true })),
    CommonPrefixes: folders.map((folder) => ({ Prefix: encode(folder) })),
    EncodingType: encoding,
  })
}

const listingRequestOf = (query: URLSearchParams, after: string): ListingRequest => ({
  prefix: query.get('prefix') ?? '',
  delimiter: query.get('delimiter') ?? '',
  after,
  limit: Math.min(numberOf(query, 'max-keys', { least: 0 }) || MAX_KEYS, MAX_KEYS),
})

/** The page after a key or folder. `next` is the next page's marker. */
async function pageAfterMarker(
  request: ListingRequest,
  call: S3Call,
): Promise<Pick<Page, 'objects' | 'folders'> & { next: string | undefined }> {
  const { delimiter } = request
  // A folder includes its delimiter; continuing after it skips its content.
  const after =
    delimiter !== '' && request.after.endsWith(delimiter) ? request.after.slice(0, -delimiter.length) : request.after
  const { objects, folders, last } = await pageOf({ ...request, after }, call)
  const next = last !== undefined && folders.at(-1) === `${last}${delimiter}` ? `${last}${delimiter}` : last
  return { objects, folders, next }
}

async function pageOf(
  { prefix, delimiter, after, limit }: ListingRequest,
  { bucket, caller, deps }: S3Call,
): Promise<Page> {
  await bucketOf(bucket, caller, deps)
  // One more than requested, to know whether there's another page.
  const select =
    delimiter === ''
      ? flatSql(bucket, prefix, limit + 1, { after, order: 'asc', column: 'name', columnAfter: '' })
      : sql`select name, id, metadata, updated_at, created_at, last_accessed_at
          from storage.list_objects_with_delimiter(${bucket}, ${prefix}, ${delimiter}, ${limit + 1}::int, ${after})`
  const [found] = await runAs(deps.db, caller, [select])
  const rows = rowsOf<Entry>(found)
  const page = rows.slice(0, limit)
  return {
    objects: page.filter(({ id }) => id !== null),
    folders: page.filter(({ id }) => id === null).map(({ name }) => `${name}${delimiter}`),
    last: rows.length > limit ? page.at(-1)?.name : undefined,
  }
}

const contents = (objects: readonly Entry[], folders: readonly string[], encode: Encode): XmlNode => ({
  Contents: objects.map((entry) => propertiesOf(entry, encode)),
  CommonPrefixes: folders.map((folder) => ({ Prefix: encode(folder) })),
})

const propertiesOf = ({ name, updated_at, metadata }: Entry, encode: Encode): XmlNode => ({
  Key: encode(name),
  LastModified: updated_at ?? undefined,
  ETag: typeof metadata?.eTag === 'string' ? metadata.eTag : undefined,
  Size: Number(metadata?.size) || 0,
  StorageClass: 'STANDARD',
})

const encoderOf = (encoding: 'url' | undefined): Encode =>
  encoding === 'url' ? encodeURIComponent : (text: string) => text
