import { StorageError } from '../errors.ts'
import type { Location, PartedContents, PartedUpload, StoredPart } from './contents.ts'
import type { S3Store } from './s3-client.ts'
import { keyOf } from './s3-contents.ts'

/** Parts are those of the store's own multipart upload of the content, which is why the store's rules for their sizes hold. */
export class S3Parts implements PartedContents {
  readonly #store: S3Store

  constructor(store: S3Store) {
    this.#store = store
  }

  begin(location: Location): Promise<string> {
    return this.#store.beginUpload(keyOf(location))
  }

  /** The bytes pass through without being kept, so that a part may be as large as S3 allows. */
  put(
    upload: PartedUpload,
    { number, length }: { readonly number: number; readonly length: number },
    bytes: AsyncIterable<Uint8Array>,
  ): Promise<{ etag: string }> {
    return this.#store.streamPart(keyOf(upload), upload.id, { number, length, bytes })
  }

  /** The store replaces a part by one of the same number. */
  async removePart(): Promise<void> {}

  async complete(upload: PartedUpload, parts: readonly StoredPart[]): Promise<void> {
    try {
      await this.#store.completeUpload(keyOf(upload), upload.id, parts)
    } catch (error) {
      if (!(error instanceof StorageError) || error.code !== 'NoSuchUpload') throw error
      // It was completed before, by whoever died before the row of the object was written.
      const size = parts.reduce((sum, part) => sum + part.size, 0)
      const isThere = await this.#store.size(keyOf(upload)).then(
        (found) => found === size,
        () => false,
      )
      if (!isThere) throw error
    }
  }

  abort(upload: PartedUpload): Promise<void> {
    return this.#store.abortUpload(keyOf(upload), upload.id)
  }
}
