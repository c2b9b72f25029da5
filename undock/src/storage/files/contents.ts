import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { FileAction, Tracer } from '../../kernel/tracer.ts'
import { storageError } from '../errors.ts'
import type { ByteRange } from '../http/range.ts'

/** Where the bytes of an object are stored: its bucket and the version that its row names. */
export type Location = { readonly bucket: string; readonly version: string }

export type Written = {
  readonly size: number
  /** The MD5 of the bytes in quotes, as S3 makes it for a plain upload. */
  readonly etag: string
  readonly modified: Date
}

export type OpenContent = {
  readonly size: number
  /** May be called once; reading to the end, or destroying it, frees what is behind it. */
  stream(range?: ByteRange): Readable
  /** The same for a response: Node's own bridge from one kind of stream to the other copies every byte. */
  body(range?: ByteRange): ReadableStream<Uint8Array>
  close(): Promise<void>
}

/** The bytes behind `storage.objects`. A content is there as a whole or not at all, and never changes; the row decides: a content
 *  without one is an orphan. Names are made of generated ids and a hash of the bucket's id, never of what a request says; the bucket's
 *  part also keeps a forged version in a row from reaching another bucket's content. */
export type Contents = {
  /** @param limit The most bytes to accept.
   *  @param announced How many are said to come, which decides how a store elsewhere cuts them.
   *  @throws {StorageError} EntityTooLarge, and any error of `source`. Nothing is left then. */
  write(location: Location, source: AsyncIterable<Uint8Array>, limit: number, announced?: number): Promise<Written>
  /** Gives a content a second name, without its bytes passing through here. @throws {StorageError} NoSuchKey */
  copy(from: Location, to: Location): Promise<void>
  /** @throws {StorageError} NoSuchKey when the row has no content. */
  size(location: Location): Promise<number>
  /** Asks for the content first, so that a missing one is an error before any byte is answered; the bytes also stay readable when the
   *  object is deleted while a client still downloads.
   *  @param isPart Whether a range of it will be read: a store elsewhere is then not asked for the whole.
   *  @throws {StorageError} NoSuchKey */
  open(location: Location, isPart?: boolean): Promise<OpenContent>
  remove(locations: readonly Location[]): Promise<void>
}

/** An upload of the S3 protocol. @property id What names it in its row and to the client. */
export type PartedUpload = Location & { readonly id: string }
/** @property id Of its row. @property number From 1. @property etag The MD5 of its bytes in quotes. */
export type StoredPart = { readonly id: string; readonly number: number; readonly size: number; readonly etag: string }

/** Contents that arrive in parts, in any order. Rows say which parts count. */
export type PartedContents = {
  /** @returns the upload's id. */
  begin(location: Location): Promise<string>
  /** Stores one part, in place of an earlier one of its number where the store knows parts by their numbers.
   *  @param length Of `bytes`, exactly.
   *  @throws {StorageError} InvalidRequest when fewer bytes came, EntityTooLarge when more did; nothing is left then. */
  put(
    upload: PartedUpload,
    part: { readonly id: string; readonly number: number; readonly length: number },
    bytes: AsyncIterable<Uint8Array>,
  ): Promise<{ readonly etag: string }>
  /** Removes what only `id` names, when its row is gone. */
  removePart(upload: PartedUpload, id: string): Promise<void>
  /** Makes the content of these parts. May be done again: whoever did so may have died before the row of the object.
   *  @throws {StorageError} InvalidPart, EntityTooSmall as the store says */
  complete(upload: PartedUpload, parts: readonly StoredPart[]): Promise<void>
  /** Frees an upload, finished or given up. */
  abort(upload: PartedUpload): Promise<void>
}

const VERSION = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

export const isVersion = (text: string): boolean => VERSION.test(text)

/** The two parts of a content's name. @throws {StorageError} NoSuchKey: a row's version is data that policies may let users write. */
export function namesOf({ bucket, version }: Location): [folder: string, file: string] {
  if (!isVersion(version)) throw storageError('NoSuchKey')
  return [bucketFolder(bucket), version]
}

/** The folder that holds a bucket's contents: 128 bits of a hash, because a bucket's id may hold any character. */
export const bucketFolder = (bucket: string): string => createHash('sha256').update(bucket).digest('hex').slice(0, 32)

/** Does work on a file as a part of the current request, for the timeline. */
export function measureFile<T>(
  tracer: Tracer,
  action: FileAction,
  { bucket }: Pick<Location, 'bucket'>,
  work: () => Promise<T>,
  bytesOf: (done: T) => number | null = () => null,
): Promise<T> {
  return tracer.measure(work, (done) => ({ kind: 'file', action, bucket, bytes: done && bytesOf(done) }))
}

/** The hash of the parts' hashes, and how many they are: how S3 names what no single hash was made of. @param etags In order. */
export function partedEtag(etags: readonly string[]): string {
  const hash = createHash('md5')
  for (const etag of etags) hash.update(etag.replaceAll('"', ''), 'hex')
  return `"${hash.digest('hex')}-${etags.length}"`
}

export const sizeOf = ({ size }: Written): number => size
