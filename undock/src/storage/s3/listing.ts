import { sql } from '../../kernel/sql.ts'
import { rowsOf, runAs } from '../caller.ts'
import { decodeCursor, type Entry, encodeCursor, flatSql } from '../listing.ts'
import { bucketOf } from '../upload.ts'
import { encodingOf, numberOf, type S3Call, xml } from './call.ts'
import type { XmlNode } from './xml.ts'

const MAX_KEYS = 1000

type ListingRequest = { prefix: string; delimiter: string; after: string; limit: number }
type Page = { objects: Entry[]; folders: string[]; last: string | undefined }

/** ListObjectsV2: pages by an opaque token, or from a key on. */
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
    ...entries(objects, folders, encoding),
    IsTruncated: next !== undefined,
    MaxKeys: request.limit,
    Delimiter: request.delimiter || undefined,
    EncodingType: encoding,
    KeyCount: objects.length + folders.length,
    NextContinuationToken: next,
  })
}

/** ListObjects: pages by the last key or folder of the one before, which stands in `Marker`, too, as upstream has it. */
export async function listObjects(call: S3Call): Promise<Response> {
  const { query, bucket } = call
  const encoding = encodingOf(query)
  const marker = query.get('marker') || undefined
  const request = listingRequestOf(query, marker ?? '')
  const { delimiter } = request
  // A folder is named with its delimiter, and what goes on after it leaves out all that it holds.
  const after =
    delimiter !== '' && request.after.endsWith(delimiter) ? request.after.slice(0, -delimiter.length) : request.after
  const { objects, folders, last } = await pageOf({ ...request, after }, call)
  const next = last !== undefined && folders.at(-1) === `${last}${delimiter}` ? `${last}${delimiter}` : last
  return xml('ListBucketResult', {
    Name: bucket,
    Prefix: request.prefix,
    Marker: next ?? marker,
    NextMarker: delimiter === '' ? undefined : next,
    MaxKeys: request.limit,
    IsTruncated: next !== undefined,
    ...entries(objects, folders, encoding),
    Delimiter: delimiter || undefined,
    EncodingType: encoding,
  })
}

const listingRequestOf = (query: URLSearchParams, after: string): ListingRequest => ({
  prefix: query.get('prefix') ?? '',
  delimiter: query.get('delimiter') ?? '',
  after,
  limit: Math.min(numberOf(query, 'max-keys', { least: 0 }) || MAX_KEYS, MAX_KEYS),
})

async function pageOf(
  { prefix, delimiter, after, limit }: ListingRequest,
  { bucket, caller, deps }: S3Call,
): Promise<Page> {
  await bucketOf(bucket, caller, deps)
  // One more than asked for tells whether there is another page.
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

const entries = (objects: readonly Entry[], folders: readonly string[], encoding: 'url' | undefined): XmlNode => {
  const encode = (text: string) => (encoding === 'url' ? encodeURIComponent(text) : text)
  return {
    Contents: objects.map(({ name, updated_at, metadata }) => ({
      Key: encode(name),
      LastModified: updated_at ?? undefined,
      ETag: typeof metadata?.eTag === 'string' ? metadata.eTag : undefined,
      Size: Number(metadata?.size) || 0,
      StorageClass: 'STANDARD',
    })),
    CommonPrefixes: folders.map((folder) => ({ Prefix: encode(folder) })),
  }
}
