import { mkdir } from 'node:fs/promises'
import type { Log } from '../../kernel/service.ts'
import { NO_TRACER, type Tracer } from '../../kernel/tracer.ts'
import { StorageError } from '../errors.ts'
import type { Contents, Location, PartedContents, PartedUpload, StoredPart } from './contents.ts'
import { FolderContents } from './folder.ts'
import { FolderParts } from './folder-parts.ts'
import { type S3Place, S3Store } from './s3-client.ts'
import { keyOf, S3Contents } from './s3-contents.ts'

/** Uses the store's own multipart upload, so the store's rules for part sizes apply. */
class S3Parts implements PartedContents {
  readonly #store: S3Store

  constructor(store: S3Store) {
    this.#store = store
  }

  begin(location: Location): Promise<string> {
    return this.#store.beginUpload(keyOf(location))
  }

  /** Streams the bytes without buffering, so a part may be as large as S3 allows. */
  put(
    upload: PartedUpload,
    { number, length }: { readonly number: number; readonly length: number },
    bytes: AsyncIterable<Uint8Array>,
  ): Promise<{ etag: string }> {
    return this.#store.streamPart(keyOf(upload), upload.id, { number, length, bytes })
  }

  /** The store replaces parts with the same number. */
  async removePart(): Promise<void> {}

  async complete(upload: PartedUpload, parts: readonly StoredPart[]): Promise<void> {
    try {
      await this.#store.completeUpload(keyOf(upload), upload.id, parts)
    } catch (error) {
      if (!(error instanceof StorageError) || error.code !== 'NoSuchUpload') throw error
      // A process completed it and died before writing the object's row.
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

/** Where objects' bytes are: one process's folder (created if missing), or an S3 bucket that processes may share. */
export type FilesOptions = { readonly kind: 'folder'; readonly folder: string } | ({ readonly kind: 's3' } & S3Place)

type Common = {
  readonly objects: Contents
  readonly parts: PartedContents
  close(): void
}
/** Opening it has removed what a killed process left half-written. */
export type FolderFiles = Common & {
  readonly kind: 'folder'
  readonly folder: string
  readonly objects: FolderContents
  readonly parts: FolderParts
}
export type S3Files = Common & { readonly kind: 's3'; readonly store: S3Store }
export type Files = FolderFiles | S3Files

/** @throws {FilesError} if a bucket can't be used, with what to do about it. */
export async function openFiles(
  options: FilesOptions,
  { log, tracer = NO_TRACER }: { readonly log: Pick<Log, 'info'>; readonly tracer?: Tracer | undefined },
): Promise<Files> {
  if (options.kind === 'folder') {
    const { folder } = options
    await mkdir(folder, { recursive: true })
    const objects = await FolderContents.open(folder, tracer)
    const parts = await FolderParts.open(folder, objects)
    return { kind: 'folder', folder, objects, parts, close: () => undefined }
  }
  const store = await S3Store.open(options, () =>
    log.info('fetching @aws-sdk/client-s3, which speaks to the S3 store, from the npm registry (once on this machine)'),
  )
  await store.check()
  const objects = new S3Contents(store, tracer)
  return { kind: 's3', store, objects, parts: new S3Parts(store), close: () => store.close() }
}
