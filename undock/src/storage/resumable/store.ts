import { access, constants, rm, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { FileStore } from '@tus/file-store'
import { type KvStore, Upload } from '@tus/server'
import { storageError } from '../errors.ts'
import type { UploadRecord, UploadRecords } from './records.ts'

/** The partial files of resumable uploads. Unlike the library's own store, it knows uploads whose content has become an
 *  object: these are still answered as complete, so that a client that missed the last response learns of the success. */
export class ResumableStore extends FileStore {
  readonly #records: UploadRecords
  readonly #folder: string

  /** @param lifetime Milliseconds that an upload may take from its creation. */
  constructor(folder: string, records: UploadRecords, lifetime: number) {
    super({ directory: folder, configstore: asKvStore(records), expirationPeriodInMilliseconds: lifetime })
    this.#records = records
    this.#folder = folder
  }

  pathOf(id: string): string {
    return join(this.#folder, id)
  }

  override async getUpload(id: string): Promise<Upload> {
    const record = await this.#records.find(id)
    if (!record?.committed) return super.getUpload(id)
    return new Upload({ ...uploadOf(record), offset: record.upload.size ?? 0 })
  }

  override async write(stream: Readable, id: string, offset: number): Promise<number> {
    const record = await this.#records.find(id)
    if (record?.committed) return offset
    try {
      return await super.write(stream, id, offset)
    } catch (error) {
      throw (await this.#diskFault()) ?? error
    }
  }

  /** The reason why a write failed, which the library does not report. */
  async #diskFault(): Promise<unknown> {
    try {
      await access(this.#folder, constants.W_OK)
    } catch (error) {
      return error
    }
    const { bavail } = await statfs(this.#folder)
    return bavail === 0 ? storageError('InsufficientStorage') : undefined
  }

  /** How many bytes have arrived; null when there is no file (any more). */
  async received(id: string): Promise<number | null> {
    try {
      return (await stat(this.pathOf(id))).size
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
      throw error
    }
  }

  async discard(id: string): Promise<void> {
    await rm(this.pathOf(id), { force: true })
  }

  /** Removes uploads that nobody will finish, and what is left of finished ones. */
  async expire(now: Date): Promise<void> {
    for (const id of await this.#records.ids()) {
      const record = await this.#records.find(id).catch(() => undefined)
      const end = record ? Date.parse(record.upload.creation_date) + this.getExpiration() : 0
      if (end > now.getTime()) continue
      await this.discard(id)
      await this.#records.delete(id)
    }
  }
}

/** The library knows records as uploads; it changes one only to declare a length that came late. */
function asKvStore(records: UploadRecords): KvStore<Upload> {
  return {
    get: async (id) => {
      const record = await records.find(id)
      return record ? new Upload(uploadOf(record)) : undefined
    },
    set: async (id, upload) => {
      const record = await records.find(id)
      if (record && upload.size !== undefined)
        await records.save({ ...record, upload: { ...record.upload, size: upload.size } })
    },
    delete: (id) => records.delete(id),
    list: () => records.ids(),
  }
}

function uploadOf({ upload }: UploadRecord) {
  const { size, metadata, ...rest } = upload
  return { ...rest, ...(size !== undefined && { size }), ...(metadata && { metadata }) }
}
