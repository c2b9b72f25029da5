import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import { asProjectUser } from '../database/as-project-user.ts'
import type { Db } from '../database/db.ts'
import type { Identity } from '../identity/identity.ts'
import { isClientAbort } from '../kernel/node-request.ts'
import { discardBody } from '../kernel/request-body.ts'
import { createRouter } from '../kernel/router.ts'
import type { Clock, Log, RequestContext, Service } from '../kernel/service.ts'
import { sql, statement } from '../kernel/sql.ts'
import type { Tracer } from '../kernel/tracer.ts'
import { applyConfiguredBuckets } from './buckets/buckets.ts'
import { bucketRoutes } from './buckets/routes.ts'
import { asService, type StorageCaller } from './caller.ts'
import type { StorageDeps } from './deps.ts'
import { errorBody, fromSystem, StorageError, storageError } from './errors.ts'
import { createLazyService } from './http/lazy-service.ts'
import { dispatch, json, PREFIX, RESUMABLE_PATH, type Route, route, S3_PATH } from './http/router.ts'
import { icebergRoutes } from './iceberg-routes.ts'
import { renderRoutes } from './images/routes.ts'
import { ContentStore } from './objects/content.ts'
import { repair } from './objects/repair.ts'
import { objectRoutes } from './objects/routes.ts'
import { seedObjects } from './objects/seed.ts'
import { UrlSigner } from './signing/signatures.ts'
import { applyConfiguredVectorBuckets } from './vectors/buckets.ts'
import { vectorRoutes } from './vectors/routes.ts'

/** The release of storage-api whose contract this follows. */
const VERSION = '1.70.6'

/** Routes that concern neither buckets nor objects. */
const serviceRoutes: readonly Route[] = [
  route('GET|HEAD', '/status', 'anyone', 'storage.status', async () => new Response(null)),
  route('GET|HEAD', '/version', 'anyone', 'storage.version', async () => new Response(VERSION)),
  route('GET|HEAD', '/health', 'anyone', 'storage.health', async ({ deps }) => {
    const healthy = await deps.db.query(statement(sql`select id from storage.buckets limit 1`)).then(
      () => true,
      () => false,
    )
    return json({ healthy })
  }),
  // No cache stands between storage and its clients: there is nothing to purge.
  ...['/cdn', '/cdn/{path...}'].map((path) =>
    route('DELETE', path, 'service', 'storage.cdn.purge_object_cache', async () =>
      json({ message: 'success', statusCode: '200' }),
    ),
  ),
]

export type StorageOptions = {
  readonly db: Db
  readonly identity: Identity
  readonly config: Config['storage']
  /** Where contents lie; made when it is not there. */
  readonly folder: string
  readonly clock: Clock
  readonly log: Log
  readonly tracer?: Tracer
}

export type Storage = Service & {
  /** Uploads the files of each bucket's `objects_path`, replacing those of the same name: part of seeding. */
  seed(): Promise<void>
}

/** Opens storage on a folder: repairs what a kill left, makes the configured buckets, serves `/storage/v1`. */
export async function createStorage(options: StorageOptions): Promise<Storage> {
  const { config, log, identity, clock } = options
  await mkdir(options.folder, { recursive: true })
  const content = await ContentStore.open(options.folder, options.tracer)
  const deps: StorageDeps = { db: asProjectUser(options.db), content, identity, config, clock, log }
  const signer = new UrlSigner(identity.jwtSecret, clock)
  const resumable = createLazyService(
    RESUMABLE_PATH,
    async () => {
      const { createResumable } = await import('./resumable/resumable.ts')
      return createResumable(deps, { folder: join(options.folder, 'resumable'), signer })
    },
    log,
  )
  const s3 = config.s3_protocol.enabled
    ? createLazyService(S3_PATH, async () => (await import('./s3/index.ts')).createS3(deps, options.folder), log)
    : null
  await repair(deps)
  const applyBuckets = async () => {
    await applyConfiguredBuckets(config, STARTING, deps)
    await applyConfiguredVectorBuckets(config.vector, deps.db)
  }
  await applyBuckets()

  const router = createRouter<Route>([
    ...serviceRoutes,
    ...bucketRoutes,
    ...objectRoutes(signer),
    ...renderRoutes(signer),
    ...vectorRoutes,
    ...icebergRoutes,
  ])

  async function handle(request: Request, context: RequestContext): Promise<Response> {
    const refusal = (thrown: unknown) => refusalOf(thrown, request, context, log)
    const response = await answer(request, refusal).catch((thrown) => refuse(refusal(thrown)))
    if (response.status >= 400) await discardBody(request)
    return request.method === 'HEAD' ? withoutBody(response) : response
  }

  async function answer(request: Request, refusal: (thrown: unknown) => StorageError): Promise<Response> {
    const { pathname } = new URL(request.url)
    if (s3?.serves(pathname)) return s3.handle(request, refusal)
    // The library behind resumable uploads would answer a GET with the bytes so far; upstream has no such route.
    const isResumable = resumable.serves(pathname) && request.method !== 'GET'
    return isResumable ? resumable.handle(request) : dispatch(router, request, deps)
  }

  return {
    handle,
    seed: () => seedObjects(config, STARTING, deps),
    async onDatabaseReplaced(replacement) {
      // A reset drops the buckets of config.toml; every other database that replaces this one holds them.
      if (replacement === 'reset') await applyBuckets()
    },
    close: async () => {
      await s3?.close()
      await resumable.close()
    },
  }
}

/** The stack itself, outside of any request. */
const STARTING: StorageCaller = asService({
  principal: { role: 'service_role', claims: { role: 'service_role' } },
  authenticated: true,
  operation: 'storage.seed',
  method: '',
  path: PREFIX,
  headers: '{}',
})

/** The refusal that a thrown value stands for. Anything else is a fault of ours: it is logged, and its text is withheld. */
function refusalOf(thrown: unknown, request: Request, { requestId }: RequestContext, log: Log): StorageError {
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

/** Storage's own shape of a refusal. */
const refuse = (refusal: StorageError): Response =>
  Response.json(errorBody(refusal), {
    status: refusal.httpStatus,
    headers: { ...refusal.headers, 'cache-control': 'no-store' },
  })

function withoutBody(response: Response): Response {
  if (response.body === null) return response
  void response.body.cancel()
  return new Response(null, response)
}
