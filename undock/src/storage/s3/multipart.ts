import { createHash, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { asService, ownerOf, rowOf, rowsOf, runAs, type StorageCaller } from '../caller.ts'
import type { StorageDeps } from '../deps.ts'
import { invalidRequest, StorageError, storageError } from '../errors.ts'
import { bucketFolder, ContentStore, type Location, type Written } from '../objects/content.ts'
import { checkUpload } from '../objects/upload.ts'
import * as rows from './multipart-rows.ts'

/** An upload may take a day, as on hosted projects. */
const LIFETIME = 24 * 60 * 60 * 1000

/** S3's: part numbers go from 1 to this. */
export const MAX_PARTS = 10_000

/** What a client says of a part to be put into the whole. */
export type NamedPart = { readonly number: number; readonly etag: string }

/** Multipart uploads: their parts are files of their own until all of them are poured into the object's content.
 *  Rows say which parts count; a file without a row is what a kill left. */
export class Multipart {
  readonly #deps: StorageDeps
  readonly #parts: ContentStore

  private constructor(deps: StorageDeps, parts: ContentStore) {
    this.#deps = deps
    this.#parts = parts
  }

  /** Opens the parts below a folder, and brings them and their rows together after a kill. */
  static async open(deps: StorageDeps, folder: string): Promise<Multipart> {
    const multipart = new Multipart(deps, await ContentStore.open(join(folder, 'multipart')))
    await multipart.expire()
    await multipart.#repair()
    return multipart
  }

  /** Removes uploads that nobody will finish. */
  async expire(): Promise<void> {
    const { db, clock } = this.#deps
    const before = new Date(clock.now().getTime() - LIFETIME)
    const [found] = await runAs(db, AT_WORK, [rows.deleteUploadsBefore(before)])
    for (const { id } of rowsOf<{ id: string }>(found)) await this.#parts.drop(id)
  }

  async create(upload: Omit<rows.NewUpload, 'id'>, caller: StorageCaller): Promise<string> {
    const id = randomUUID()
    await runAs(this.#deps.db, asService(caller), [rows.insertUpload({ ...upload, id })])
    return id
  }

  /** The upload, if the caller may write its object. @throws {StorageError} NoSuchUpload, AccessDenied */
  async find(id: string, bucket: string, key: string, caller: StorageCaller): Promise<rows.UploadRow> {
    const { db } = this.#deps
    const [found] = await runAs(db, asService(caller), [rows.findUpload(id)])
    const upload = rowOf<rows.UploadRow>(found)
    if (!upload || upload.bucket_id !== bucket || upload.key !== key) throw storageError('NoSuchUpload')
    const target = { bucket, key, upsert: true, owner: ownerOf(caller) }
    await checkUpload(
      { target, metadata: upload.metadata ?? {}, userMetadata: upload.user_metadata },
      caller,
      this.#deps,
    )
    return upload
  }

  /** Stores one part in place of an earlier one of its number.
   *  @param limit The most bytes that the object may have.
   *  @throws {StorageError} EntityTooLarge, NoSuchUpload when the upload ended meanwhile */
  async put(
    upload: rows.UploadRow,
    part: { readonly number: number; readonly length: number; readonly bytes: AsyncIterable<Uint8Array> },
    limit: number,
    caller: StorageCaller,
  ): Promise<{ etag: string; created: Date }> {
    const { db } = this.#deps
    const service = asService(caller)
    const [reserved] = await runAs(db, service, [rows.reserve(upload.id, part.length, limit)])
    if (reserved?.rowCount === 0) throw storageError('EntityTooLarge')
    const id = randomUUID()
    try {
      const { size, etag } = await this.#parts.write({ bucket: upload.id, version: id }, part.bytes, part.length)
      if (size !== part.length) throw invalidRequest('The upload ended before its content was complete')
      const row = { id, upload, number: part.number, size, etag, owner: ownerOf(caller) }
      const [gone, stored] = await runAs(db, service, [rows.removePart(upload.id, part.number), rows.insertPart(row)])
      await this.#parts.remove(rowsOf<{ id: string }>(gone).map((old) => ({ bucket: upload.id, version: old.id })))
      return { etag, created: rowOf<{ created_at: Date }>(stored)?.created_at ?? this.#deps.clock.now() }
    } catch (error) {
      await this.#parts.remove([{ bucket: upload.id, version: id }])
      await runAs(db, service, [rows.release(upload.id, part.length)])
      const isGone = error instanceof StorageError && error.message === 'The related resource does not exist'
      throw isGone ? storageError('NoSuchUpload', { cause: error }) : error
    }
  }

  /** Makes one content of the parts, all of them when none are named.
   *  @throws {StorageError} MissingPart, InvalidPart, EntityTooLarge */
  async assemble(
    upload: rows.UploadRow,
    { named, to, limit }: { readonly named: readonly NamedPart[]; readonly to: Location; readonly limit: number },
    caller: StorageCaller,
  ): Promise<Written> {
    const [found] = await runAs(this.#deps.db, asService(caller), [rows.listParts(upload.id, 0, MAX_PARTS)])
    const stored = rowsOf<rows.PartRow>(found)
    const parts = named.length === 0 ? stored : named.map((part) => pick(part, stored, upload.id))
    if (parts.length === 0) throw invalidRequest('You must specify at least one part')
    const size = parts.reduce((sum, part) => sum + Number(part.size), 0)
    if (size > limit) throw storageError('EntityTooLarge')
    const locations = parts.map(({ id }) => ({ bucket: upload.id, version: id }))
    const [only, ...others] = locations
    if (only && others.length === 0) await this.#deps.content.copy(only, to, this.#parts)
    else await this.#deps.content.write(to, this.#read(locations), size)
    return { size, etag: etagOf(parts), modified: this.#deps.clock.now() }
  }

  async list(uploadId: string, after: number, limit: number, caller: StorageCaller): Promise<rows.PartRow[]> {
    const [upload, parts] = await runAs(this.#deps.db, asService(caller), [
      rows.findUpload(uploadId),
      rows.listParts(uploadId, after, limit),
    ])
    if (upload?.rowCount === 0) throw storageError('NoSuchUpload')
    return rowsOf<rows.PartRow>(parts)
  }

  /** Ends an upload, finished or given up. */
  async remove(id: string, caller: StorageCaller): Promise<void> {
    await runAs(this.#deps.db, asService(caller), [rows.deleteUpload(id)])
    await this.#parts.drop(id)
  }

  async *#read(locations: readonly Location[]): AsyncGenerator<Uint8Array> {
    for (const location of locations) {
      const opened = await this.#parts.open(location)
      yield* opened.stream()
    }
  }

  async #repair(): Promise<void> {
    const { db, log } = this.#deps
    const onDisk = new Map<string, { bucketFolder: string; version: string }>()
    for await (const entry of this.#parts.list()) onDisk.set(`${entry.bucketFolder}/${entry.version}`, entry)
    const [found] = await runAs(db, AT_WORK, [rows.allParts])
    const missing = rowsOf<{ id: string; upload_id: string }>(found)
      .filter(({ id, upload_id }) => !onDisk.delete(`${bucketFolder(upload_id)}/${id}`))
      .map(({ id }) => id)
    for (const orphan of onDisk.values()) await this.#parts.removeListed(orphan)
    if (onDisk.size > 0) log.info('storage: removed parts that no upload names', { count: onDisk.size })
    if (missing.length > 0) log.warn('storage: parts of uploads have no content', { count: missing.length })
    await runAs(db, AT_WORK, [rows.deleteParts(missing), rows.recountUploads])
  }
}

const AT_WORK: StorageCaller = asService({
  principal: { role: 'service_role', claims: { role: 'service_role' } },
  authenticated: true,
  operation: 'storage.s3.upload',
  method: '',
  path: '/s3',
  headers: '{}',
})

function pick({ number, etag }: NamedPart, stored: readonly rows.PartRow[], uploadId: string): rows.PartRow {
  const part = stored.find(({ part_number }) => part_number === number)
  if (!part) {
    throw storageError('MissingPart', { message: `Part ${number} is missing for upload id ${uploadId}` })
  }
  if (bare(part.etag) !== bare(etag)) throw storageError('InvalidPart')
  return part
}

const bare = (etag: string): string => etag.replaceAll('"', '')

/** The hash of the parts' hashes, and how many they are: how S3 names what no single hash was made of. */
function etagOf(parts: readonly rows.PartRow[]): string {
  const hash = createHash('md5')
  for (const { etag } of parts) hash.update(bare(etag), 'hex')
  return `"${hash.digest('hex')}-${parts.length}"`
}
