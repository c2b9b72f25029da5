import { mkdir } from 'node:fs/promises'
import type { Log } from '../../kernel/service.ts'
import { NO_TRACER, type Tracer } from '../../kernel/tracer.ts'
import type { Contents, PartedContents } from './contents.ts'
import { FolderContents } from './folder.ts'
import { FolderParts } from './folder-parts.ts'
import { type S3Place, S3Store } from './s3-client.ts'
import { S3Contents } from './s3-contents.ts'
import { S3Parts } from './s3-parts.ts'

/** Where the bytes of objects are: a folder that one process uses, made when it is not there, or a bucket of an S3 store, which
 *  several processes with one database may share. */
export type FilesOptions = { readonly kind: 'folder'; readonly folder: string } | ({ readonly kind: 's3' } & S3Place)

type Common = {
  /** What the rows of `storage.objects` name. */
  readonly objects: Contents
  /** Uploads of the S3 protocol. */
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

/** @throws {FilesError} when a bucket cannot be used, with what to do about it. */
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
