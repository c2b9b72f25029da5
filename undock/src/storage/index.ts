import type { Config } from '../config/config.ts'
import { asProjectUser } from '../database/as-project-user.ts'
import type { Db } from '../database/db.ts'
import type { Identity } from '../identity/identity.ts'
import { isClientAbort } from '../kernel/node-http.ts'
import { discardBody } from '../kernel/request-body.ts'
import { createRouter } from '../kernel/router.ts'
import type { Clock, Log, RequestContext, Service } from '../kernel/service.ts'
import { type Statement, sql } from '../kernel/sql.ts'
import type { Tracer } from '../kernel/tracer.ts'
import { applyConfiguredBuckets } from './buckets/buckets.ts'
import { asService, type StorageCaller } from './caller.ts'
import type { StorageDeps } from './deps.ts'
import { fromSystem, StorageError, storageError } from './errors.ts'
import { bucketFolder } from './files/contents.ts'
import type { FolderContents } from './files/folder.ts'
import { type FilesOptions, openFiles } from './files/open-files.ts'
import { claimStore, keepRepaired } from './files/s3-upkeep.ts'
import { createLazyService } from './http/lazy-service.ts'
import { dispatch, PREFIX, RESUMABLE_PATH, S3_PATH } from './http/router.ts'
import { seedObjects } from './objects/seed.ts'
import { storageRoutes } from './routes.ts'
import { LOCAL_CREDENTIALS } from './s3/authenticate.ts'
import type { Credentials } from './s3/signer.ts'
import { UrlSigner } from './signing/signatures.ts'
import { applyConfiguredVectorBuckets } from './vectors/buckets.ts'

type Repair = { readonly orphans: number; readonly missing: number }

const PAGE = 5000
const NAMED = 20

/** Reconciles a folder with the database after a kill: removes contents without a row (never acknowledged, or deleted)
 *  and logs rows without a content, which only their owner can fix. Must run before the service answers. */
async function repair({ db, log }: Pick<StorageDeps, 'db' | 'log'>, content: FolderContents): Promise<Repair> {
  const onDisk = new Map<string, { bucketFolder: string; version: string }>()
  for await (const entry of content.list()) onDisk.set(`${entry.bucketFolder}/${entry.version}`, entry)

  let missing = 0
  let after = '00000000-0000-0000-0000-000000000000'
  for (;;) {
    const { rows } = await db.query<{ id: string; bucket_id: string; name: string; version: string }>(pageAfter(after))
    for (const row of rows) {
      if (onDisk.delete(`${bucketFolder(row.bucket_id)}/${row.version}`)) continue
      missing++
      if (missing <= NAMED) log.warn('storage: an object has no content', { bucket: row.bucket_id, name: row.name })
    }
    const last = rows.at(-1)
    if (!last || rows.length < PAGE) break
    after = last.id
  }

  for (const orphan of onDisk.values()) await content.removeListed(orphan)
  if (onDisk.size > 0) log.info('storage: removed contents that no object refers to', { count: onDisk.size })
  if (missing > NAMED) log.warn('storage: more objects have no content', { count: missing - NAMED })
  return { orphans: onDisk.size, missing }
}

/** Rows written by a seed have no version and never had a content, so don't warn about them. */
const pageAfter = (id: string): Statement =>
  sql`select id, bucket_id, name, version from storage.objects
    where id > ${id} and version is not null and bucket_id is not null order by id limit ${PAGE}::int`

export type StorageOptions = {
  readonly db: Db
  readonly identity: Identity
  readonly config: Config['storage']
  /** For the S3 protocol; defaults to those of every local project. */
  readonly credentials?: Credentials | undefined
  readonly files: FilesOptions
  readonly clock: Clock
  readonly log: Log
  readonly tracer?: Tracer
}

export type Storage = Service & {
  /** Uploads the files of each bucket's `objects_path`, replacing existing ones. */
  seed(): Promise<void>
}

/** Opens storage: repairs what a kill left, creates configured buckets, serves `/storage/v1`.
 *  @throws {FilesError} if the files can't be used, with what to do about it. */
export async function createStorage(options: StorageOptions): Promise<Storage> {
  const { config, log, identity, clock, credentials = LOCAL_CREDENTIALS } = options
  const files = await openFiles(options.files, options)
  const deps: StorageDeps = {
    db: asProjectUser(options.db),
    system: options.db,
    content: files.objects,
    files,
    identity,
    config,
    credentials,
    clock,
    log,
    signer: new UrlSigner(identity.jwtSecret, clock),
    resumable: createLazyService(
      RESUMABLE_PATH,
      async () => {
        const { createResumable } = await import('./resumable/resumable.ts')
        return createResumable(deps)
      },
      log,
    ),
    s3: config.s3_protocol.enabled
      ? createLazyService(S3_PATH, async () => (await import('./s3/index.ts')).createS3(deps), log)
      : null,
  }
  const endRepairs = await beginRepairs(deps)
  const applyBuckets = async () => {
    await applyConfiguredBuckets(config, STARTING, deps)
    await applyConfiguredVectorBuckets(config.vector, deps.db)
  }
  await applyBuckets()

  const router = createRouter(storageRoutes.filter(({ access }) => deps.s3 !== null || access !== 'signature'))

  async function handle(request: Request, context: RequestContext): Promise<Response> {
    const refusalOf = (thrown: unknown) => storageRefusalOf(thrown, request, context, log)
    const response = await dispatch(router, request, { deps, refusalOf })
    if (response.status >= 400) await discardBody(request)
    return request.method === 'HEAD' ? withoutBody(response) : response
  }

  return {
    handle,
    seed: () => seedObjects(config, STARTING, deps),
    async onDatabaseReplaced(replacement) {
      // A reset drops config.toml's buckets; other replacements include them.
      if (replacement === 'reset') await applyBuckets()
    },
    close: async () => {
      endRepairs()
      await deps.s3?.close()
      await deps.resumable.close()
      files.close()
    },
  }
}

/** Repairs a folder before the first request, and a shared store in turns with others. @returns a function to stop it. */
async function beginRepairs(deps: StorageDeps): Promise<() => void> {
  const { files } = deps
  if (files.kind === 's3') {
    await claimStore(deps.system, files.store)
    return keepRepaired(deps, files.store)
  }
  await repair(deps, files.objects)
  return () => undefined
}

const STARTING: StorageCaller = asService({
  principal: { role: 'service_role', claims: { role: 'service_role' } },
  authenticated: true,
  operation: 'storage.seed',
  method: '',
  path: PREFIX,
  headers: '{}',
})

/** Converts a thrown value to a client's error. Unexpected ones are logged, and their text withheld. */
function storageRefusalOf(thrown: unknown, request: Request, { requestId }: RequestContext, log: Log): StorageError {
  const error = fromSystem(thrown)
  const refusal = error instanceof StorageError ? error : storageError('InternalError', { error: 'Internal' })
  if (refusal.status >= 500 && !isClientAbort(thrown)) {
    log.error('storage: request failed', thrown, {
      requestId,
      method: request.method,
      path: new URL(request.url).pathname,
    })
  }
  return refusal
}

function withoutBody(response: Response): Response {
  if (response.body === null) return response
  void response.body.cancel()
  return new Response(null, response)
}
