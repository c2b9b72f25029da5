import { mkdir, open, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ifMissing } from '../../kernel/promises.ts'
import type { Location, Written } from '../files/contents.ts'
import type { FolderFiles } from '../files/open-files.ts'
import type { UploadRecord, Uploads } from './uploads.ts'

export type PartialBytes = {
  create(id: string): Promise<void>
  /** Returns the number of bytes stored safely; null if there are none, or no longer. */
  received(record: UploadRecord): Promise<number | null>
  /** Appends bytes, keeping those that arrived if the source breaks off. @returns the total. */
  append(record: UploadRecord, offset: number, source: AsyncIterable<Uint8Array>): Promise<number>
  /** Creates the object's content. Repeatable: the bytes stay until the object's row is written. */
  finish(record: UploadRecord, to: Location): Promise<Written>
  discard(record: UploadRecord): Promise<void>
}

export class FolderBytes implements PartialBytes {
  readonly #folder: string
  readonly #files: FolderFiles

  private constructor(folder: string, files: FolderFiles) {
    this.#folder = folder
    this.#files = files
  }

  /** Opens them for the only process of this folder, and removes files without a row. */
  static async open(files: FolderFiles, uploads: Uploads): Promise<FolderBytes> {
    const folder = join(files.folder, 'resumable')
    await mkdir(folder, { recursive: true })
    await uploads.releaseAll()
    const ids = await uploads.ids()
    for (const name of await readdir(folder)) if (!ids.has(name)) await rm(join(folder, name), { force: true })
    return new FolderBytes(folder, files)
  }

  async create(id: string): Promise<void> {
    await (await open(this.#path(id), 'w')).close()
  }

  async received({ id }: UploadRecord): Promise<number | null> {
    return stat(this.#path(id)).then(({ size }) => size, ifMissing(null))
  }

  async append({ id }: UploadRecord, offset: number, source: AsyncIterable<Uint8Array>): Promise<number> {
    const file = await open(this.#path(id), 'r+')
    try {
      let position = offset
      for await (const chunk of source) {
        for (let sent = 0; sent < chunk.byteLength; ) {
          const { bytesWritten } = await file.write(chunk, sent, chunk.byteLength - sent, position)
          sent += bytesWritten
          position += bytesWritten
        }
      }
      return position
    } finally {
      await file.close()
    }
  }

  finish({ id }: UploadRecord, to: Location): Promise<Written> {
    return this.#files.objects.adopt(this.#path(id), to)
  }

  async discard({ id }: UploadRecord): Promise<void> {
    await rm(this.#path(id), { force: true })
  }

  #path(id: string): string {
    return join(this.#folder, id)
  }
}
