import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { FileAction, Tracer } from '../../kernel/tracer.ts'
import { storageError } from '../errors.ts'
import type { ByteRange } from '../http/header-values.ts'

/** An object's bucket and its row's version, which locate its bytes. */
export type Location = { readonly bucket: string; readonly version: string }

export type Written = {
  readonly size: number
  /** The bytes' MD5 in quotes, like S3's for a plain upload. */
  readonly etag: string
  readonly modified: Date
}

export type OpenContent = {
  readonly size: number
  /** Call it once; reading to the end or destroying it releases the content. */
  stream(range?: ByteRange): Readable
  /** The same for a response: Node's own stream bridge copies every byte. */
  body(range?: ByteRange): ReadableStream<Uint8Array>
  close(): Promise<void>
}

/** The bytes of `storage.objects`. A content exists completely or not at all, and never changes; without a row it's an
 *  orphan. Names consist of generated ids and a hash of the bucket's id, never of request data; the hash also keeps a
 *  forged version in a row from reaching another bucket's content. */
export type Contents = {
  /** @param limit Bytes to accept at most.
   *  @param announced Expected bytes, which determine a remote store's part size.
   *  @throws {StorageError} EntityTooLarge, and any error of `source`; nothing is left then. */
  write(location: Location, source: AsyncIterable<Uint8Array>, limit: number, announced?: number): Promise<Written>
  /** Gives a content a second name without transferring its bytes. @throws {StorageError} NoSuchKey */
  copy(from: Location, to: Location): Promise<void>
  /** @throws {StorageError} NoSuchKey if the row has no content. */
  size(location: Location): Promise<number>
  /** Opens the content, so that a missing one fails before any byte is sent and a deleted one stays readable.
   *  @param isPart Whether only a range will be read: a remote store then isn't asked for everything.
   *  @throws {StorageError} NoSuchKey */
  open(location: Location, isPart?: boolean): Promise<OpenContent>
  remove(locations: readonly Location[]): Promise<void>
}

/** An upload of the S3 protocol. @property id Its id in its row and for the client. */
export type PartedUpload = Location & { readonly id: string }
/** @property id Its row's id. @property number From 1. @property etag Its bytes' MD5 in quotes. */
export type StoredPart = { readonly id: string; readonly number: number; readonly size: number; readonly etag: string }

/** Contents that arrive in parts, in any order. Rows decide which parts count. */
export type PartedContents = {
  begin(location: Location): Promise<string>
  /** Stores a part, replacing an earlier one of its number if the store identifies parts by number.
   *  @throws {StorageError} InvalidRequest for fewer bytes, EntityTooLarge for more; nothing is left then. */
  put(
    upload: PartedUpload,
    part: { readonly id: string; readonly number: number; readonly length: number },
    bytes: AsyncIterable<Uint8Array>,
  ): Promise<{ readonly etag: string }>
  /** Removes a part whose row is gone, if the store needs it. */
  removePart(upload: PartedUpload, id: string): Promise<void>
  /** Assembles the parts. Repeatable, because a process may have died before writing the object's row.
   *  @throws {StorageError} InvalidPart, EntityTooSmall as the store reports */
  complete(upload: PartedUpload, parts: readonly StoredPart[]): Promise<void>
  abort(upload: PartedUpload): Promise<void>
}

const VERSION = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

export const isVersion = (text: string): boolean => VERSION.test(text)

/** Returns a content's folder and file. @throws {StorageError} NoSuchKey: policies may let users write versions. */
export function namesOf({ bucket, version }: Location): [folder: string, file: string] {
  if (!isVersion(version)) throw storageError('NoSuchKey')
  return [bucketFolder(bucket), version]
}

/** Returns a bucket's folder: 128 bits of a hash, because bucket ids may contain any character. */
export const bucketFolder = (bucket: string): string => createHash('sha256').update(bucket).digest('hex').slice(0, 32)

/** Measures work on a file for the request's timeline. */
export function measureFile<T>(
  tracer: Tracer,
  action: FileAction,
  { bucket }: Pick<Location, 'bucket'>,
  work: () => Promise<T>,
  bytesOf: (done: T) => number | null = () => null,
): Promise<T> {
  return tracer.measure(work, (done) => ({ kind: 'file', action, bucket, bytes: done && bytesOf(done) }))
}

/** Returns S3's etag of multipart content: the hash of the parts' hashes, and their number. @param etags In order. */
export function partedEtag(etags: readonly string[]): string {
  const hash = createHash('md5')
  for (const etag of etags) hash.update(etag.replaceAll('"', ''), 'hex')
  return `"${hash.digest('hex')}-${etags.length}"`
}

export const sizeOf = ({ size }: Written): number => size
