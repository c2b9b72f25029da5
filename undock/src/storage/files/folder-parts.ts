import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { invalidRequest } from '../errors.ts'
import type { Location, PartedContents, PartedUpload, StoredPart } from './contents.ts'
import { FolderContents } from './folder.ts'

/** Stores parts as separate files until they're assembled. A file without a row is left over from a kill. */
export class FolderParts implements PartedContents {
  readonly #objects: FolderContents
  readonly #parts: FolderContents

  private constructor(objects: FolderContents, parts: FolderContents) {
    this.#objects = objects
    this.#parts = parts
  }

  static async open(folder: string, objects: FolderContents): Promise<FolderParts> {
    return new FolderParts(objects, await FolderContents.open(join(folder, 'multipart')))
  }

  async begin(): Promise<string> {
    return randomUUID()
  }

  async put(
    upload: PartedUpload,
    { id, length }: { readonly id: string; readonly length: number },
    bytes: AsyncIterable<Uint8Array>,
  ): Promise<{ etag: string }> {
    const { size, etag } = await this.#parts.write(placeOf(upload, id), bytes, length)
    if (size === length) return { etag }
    await this.removePart(upload, id)
    throw invalidRequest('The upload ended before its content was complete')
  }

  removePart(upload: PartedUpload, id: string): Promise<void> {
    return this.#parts.remove([placeOf(upload, id)])
  }

  async complete(upload: PartedUpload, parts: readonly StoredPart[]): Promise<void> {
    const places = parts.map(({ id }) => placeOf(upload, id))
    const [only, ...others] = places
    if (only && others.length === 0) await this.#objects.copy(only, upload, this.#parts)
    else await this.#objects.write(upload, this.#read(places), Number.POSITIVE_INFINITY)
  }

  abort({ id }: PartedUpload): Promise<void> {
    return this.#parts.drop(id)
  }

  list(): ReturnType<FolderContents['list']> {
    return this.#parts.list()
  }

  removeListed(entry: { bucketFolder: string; version: string }): Promise<void> {
    return this.#parts.removeListed(entry)
  }

  async *#read(places: readonly Location[]): AsyncGenerator<Uint8Array> {
    for (const place of places) {
      const opened = await this.#parts.open(place)
      yield* opened.stream()
    }
  }
}

const placeOf = (upload: PartedUpload, id: string): Location => ({ bucket: upload.id, version: id })
