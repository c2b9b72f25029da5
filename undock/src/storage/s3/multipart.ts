import { randomUUID } from 'node:crypto'
import { asService, ownerOf, rowOf, rowsOf, runAs, type StorageCaller } from '../caller.ts'
import type { StorageDeps } from '../deps.ts'
import { invalidRequest, storageError } from '../errors.ts'
import { bucketFolder, type PartedContents, type PartedUpload, partedEtag, type Written } from '../files/contents.ts'
import type { FolderParts } from '../files/folder-parts.ts'
import { checkUpload } from '../objects/upload.ts'
import * as rows from './multipart-rows.ts'

/** A day, as on hosted projects. */
const LIFETIME = 24 * 60 * 60 * 1000

/** S3's highest part number; the first is 1. */
export const MAX_PARTS = 10_000

export type NamedPart = { readonly number: number; readonly etag: string }

/** Multipart uploads. Rows decide which parts count; files contain their bytes until they're assembled. */
export class Multipart {
  readonly #deps: StorageDeps
  readonly #parts: PartedContents

  private constructor(deps: StorageDeps) {
    this.#deps = deps
    this.#parts = deps.files.parts
  }

  /** Removes expired uploads and, in a folder, reconciles parts and rows after a kill. */
  static async open(deps: StorageDeps): Promise<Multipart> {
    const multipart = new Multipart(deps)
    await multipart.expire()
    if (deps.files.kind === 'folder') await multipart.#repair(deps.files.parts)
    return multipart
  }

  async expire(): Promise<void> {
    const { db, clock } = this.#deps
    const before = new Date(clock.now().getTime() - LIFETIME)
    const [found] = await runAs(db, AT_WORK, [rows.deleteUploadsBefore(before)])
    for (const upload of rowsOf<rows.UploadRow>(found)) await this.#parts.abort(partedOf(upload))
  }

  async create(upload: Omit<rows.NewUpload, 'id' | 'version'>, caller: StorageCaller): Promise<string> {
    const version = randomUUID()
    const location = { bucket: upload.bucket_id, version }
    const id = await this.#parts.begin(location)
    await runAs(this.#deps.db, asService(caller), [rows.insertUpload({ ...upload, id, version })]).catch(
      async (error: unknown) => {
        await this.#parts.abort({ ...location, id })
        throw error
      },
    )
    return id
  }

  /** Returns the upload if the caller may write its object. @throws {StorageError} NoSuchUpload, AccessDenied */
  async find(id: string, bucket: string, key: string, caller: StorageCaller): Promise<rows.UploadRow> {
    const { db } = this.#deps
    const [found] = await runAs(db, asService(caller), [rows.findUpload(id)])
    const upload = rowOf<rows.UploadRow>(found)
    if (!upload || upload.bucket_id !== bucket || upload.key !== key) throw storageError('NoSuchUpload')
    const object = { bucket, key, owner: ownerOf(caller), metadata: upload.metadata ?? {} }
    await checkUpload({ ...object, userMetadata: upload.user_metadata }, true, caller, this.#deps)
    return upload
  }

  /** Stores a part, replacing an earlier one of its number.
   *  @param limit Bytes that the object may have.
   *  @throws {StorageError} EntityTooLarge, NoSuchUpload if the upload ended meanwhile */
  async put(
    upload: rows.UploadRow,
    part: { readonly number: number; readonly length: number; readonly bytes: AsyncIterable<Uint8Array> },
    limit: number,
    caller: StorageCaller,
  ): Promise<{ etag: string; created: Date }> {
    const { db } = this.#deps
    const service = asService(caller)
    const size = { number: part.number, size: part.length }
    const [room] = await runAs(db, service, [rows.hasRoom(upload.id, size, limit)])
    if (!rowOf<{ has_room: boolean }>(room)?.has_room) throw storageError('EntityTooLarge')
    const parted = partedOf(upload)
    const id = randomUUID()
    const { etag } = await this.#parts.put(parted, { id, ...part }, part.bytes)
    try {
      const row = { id, upload, ...size, etag, owner: ownerOf(caller) }
      const [found, added] = await runAs(db, service, [rows.lockUpload(upload.id), rows.storePart(row, limit)])
      if (found?.rowCount === 0) throw storageError('NoSuchUpload')
      const stored = rowOf<{ created_at: Date; replaced: string[] }>(added)
      if (!stored) throw storageError('EntityTooLarge')
      for (const old of stored.replaced) await this.#parts.removePart(parted, old)
      return { etag, created: stored.created_at }
    } catch (error) {
      await this.#parts.removePart(parted, id)
      throw error
    }
  }

  /** Assembles the parts into the object's content; all of them if none are named.
   *  @throws {StorageError} MissingPart, InvalidPart, EntityTooLarge */
  async assemble(
    upload: rows.UploadRow,
    named: readonly NamedPart[],
    limit: number,
    caller: StorageCaller,
  ): Promise<Written> {
    const [found] = await runAs(this.#deps.db, asService(caller), [rows.listParts(upload.id, 0, MAX_PARTS)])
    const stored = rowsOf<rows.PartRow>(found)
    const parts = named.length === 0 ? stored : named.map((part) => pick(part, stored, upload.id))
    if (parts.length === 0) throw invalidRequest('You must specify at least one part')
    const size = parts.reduce((sum, part) => sum + Number(part.size), 0)
    if (size > limit) throw storageError('EntityTooLarge')
    const complete = parts.map(({ id, part_number: number, etag, size: bytes }) => {
      return { id, number, etag, size: Number(bytes) }
    })
    await this.#parts.complete(partedOf(upload), complete)
    return { size, etag: partedEtag(parts.map(({ etag }) => etag)), modified: this.#deps.clock.now() }
  }

  async list(uploadId: string, after: number, limit: number, caller: StorageCaller): Promise<rows.PartRow[]> {
    const [upload, parts] = await runAs(this.#deps.db, asService(caller), [
      rows.findUpload(uploadId),
      rows.listParts(uploadId, after, limit),
    ])
    if (upload?.rowCount === 0) throw storageError('NoSuchUpload')
    return rowsOf<rows.PartRow>(parts)
  }

  /** Ends a finished or abandoned upload. */
  async remove(upload: rows.UploadRow, caller: StorageCaller): Promise<void> {
    await runAs(this.#deps.db, asService(caller), [rows.deleteUpload(upload.id)])
    await this.#parts.abort(partedOf(upload))
  }

  async #repair(parts: FolderParts): Promise<void> {
    const { db, log } = this.#deps
    const onDisk = new Map<string, { bucketFolder: string; version: string }>()
    for await (const entry of parts.list()) onDisk.set(`${entry.bucketFolder}/${entry.version}`, entry)
    const [found] = await runAs(db, AT_WORK, [rows.allParts])
    const missing = rowsOf<{ id: string; upload_id: string }>(found)
      .filter(({ id, upload_id }) => !onDisk.delete(`${bucketFolder(upload_id)}/${id}`))
      .map(({ id }) => id)
    for (const orphan of onDisk.values()) await parts.removeListed(orphan)
    if (onDisk.size > 0) log.info('storage: removed parts that no upload names', { count: onDisk.size })
    if (missing.length > 0) log.warn('storage: parts of uploads have no content', { count: missing.length })
    await runAs(db, AT_WORK, [rows.deleteParts(missing)])
  }
}

const partedOf = ({ id, bucket_id: bucket, version }: rows.UploadRow): PartedUpload => ({ id, bucket, version })

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
