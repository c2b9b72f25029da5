import type { Readable } from 'node:stream'
import { DataStore, ERRORS, Upload } from '@tus/server'
import type { PartialBytes } from './bytes.ts'
import type { UploadRecord, Uploads } from './uploads.ts'

/** The TUS library's store. Reports uploads that became objects as complete, for clients that missed the last response. */
export class ResumableStore extends DataStore {
  override extensions = ['creation', 'creation-with-upload', 'creation-defer-length', 'termination', 'expiration']
  readonly #uploads: Uploads
  readonly #bytes: PartialBytes
  readonly #lifetime: number

  /** @param lifetime Milliseconds that an upload may take from its creation. */
  constructor(uploads: Uploads, bytes: PartialBytes, lifetime: number) {
    super()
    this.#uploads = uploads
    this.#bytes = bytes
    this.#lifetime = lifetime
  }

  /** Its row already exists. */
  override async create(upload: Upload): Promise<Upload> {
    await this.#bytes.create(upload.id)
    return upload
  }

  override async getUpload(id: string): Promise<Upload> {
    const record = await this.#recordOf(id)
    const offset = record.isCommitted ? (record.size ?? 0) : await this.#bytes.received(record)
    if (offset === null) throw ERRORS.FILE_NO_LONGER_EXISTS
    const { size, metadata, created } = record
    return new Upload({ id, offset, metadata, creation_date: created.toISOString(), ...(size !== null && { size }) })
  }

  override async write(stream: Readable, id: string, offset: number): Promise<number> {
    const record = await this.#recordOf(id)
    return record.isCommitted ? offset : this.#bytes.append(record, offset, stream)
  }

  override declareUploadLength(id: string, size: number): Promise<void> {
    return this.#uploads.declareSize(id, size)
  }

  override async remove(id: string): Promise<void> {
    const record = await this.#recordOf(id)
    await this.#uploads.delete(id)
    await this.#bytes.discard(record)
  }

  override getExpiration(): number {
    return this.#lifetime
  }

  async #recordOf(id: string): Promise<UploadRecord> {
    const record = await this.#uploads.find(id)
    if (!record) throw ERRORS.FILE_NOT_FOUND
    return record
  }
}
