import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import type { Db } from '../database/db.ts'
import type { Identity } from '../identity/identity.ts'
import type { Clock, Log, RequestContext, Service } from '../kernel/service.ts'
import { bucketRoutes } from './bucket-routes.ts'
import { applyConfiguredBuckets } from './buckets.ts'
import { asService, type Caller } from './caller.ts'
import { ContentStore } from './content.ts'
import type { StorageDeps } from './deps.ts'
import { errorBody, fromDatabase, StorageError, storageError } from './errors.ts'
import { objectRoutes } from './object-routes.ts'
import { renderRoutes } from './render-routes.ts'
import { repair } from './repair.ts'
import { serveResumable } from './resumable-service.ts'
import { dispatch, PREFIX, type Route } from './router.ts'
import { seedObjects } from './seed.ts'
import { serviceRoutes } from './service-routes.ts'
import { UrlSigner } from './signatures.ts'

export type StorageOptions = {
  readonly db: Db
  readonly identity: Identity
  readonly config: Config['storage']
  /** Where contents lie; made when it is not there. */
  readonly folder: string
  readonly clock: Clock
  readonly log: Log
}

export type Storage = {
  readonly handle: Service
  /** Uploads the files of each bucket's `objects_path`, replacing those of the same name: part of seeding. */
  seed(): Promise<void>
  /** Makes the buckets of config.toml again, after the database was reset. */
  applyBuckets(): Promise<void>
  close(): Promise<void>
}

/** Opens storage on a folder: repairs what a kill left, makes the configured buckets, serves `/storage/v1`. */
export async function createStorage(options: StorageOptions): Promise<Storage> {
  const { config, log, identity, clock } = options
  await mkdir(options.folder, { recursive: true })
  const content = await ContentStore.open(options.folder)
  const deps: StorageDeps = { db: options.db, content, identity, config, clock, log }
  const signer = new UrlSigner(identity.jwtSecret, clock)
  const resumable = serveResumable(deps, { folder: join(options.folder, 'resumable'), signer })
  await repair(deps)
  await applyConfiguredBuckets(config, STARTING, deps)

  const routes: readonly Route[] = [...serviceRoutes, ...bucketRoutes, ...objectRoutes(signer), ...renderRoutes(signer)]

  async function handle(request: Request, context: RequestContext): Promise<Response> {
    try {
      const { pathname } = new URL(request.url)
      const response = resumable.serves(pathname)
        ? await resumable.handle(request)
        : await dispatch(routes, request, deps)
      return request.method === 'HEAD' ? withoutBody(response) : response
    } catch (error) {
      return refuse(error, request, context, log)
    }
  }

  return {
    handle,
    seed: () => seedObjects(config, STARTING, deps),
    applyBuckets: () => applyConfiguredBuckets(config, STARTING, deps),
    close: () => resumable.close(),
  }
}

/** The stack itself at work, outside of any request. */
const STARTING: Caller = asService({
  principal: { role: 'service_role', claims: { role: 'service_role' } },
  authenticated: true,
  operation: 'storage.seed',
  method: '',
  path: PREFIX,
  headers: '{}',
})

/** Renders every refusal in storage's shape; what is none is a fault of ours, told to the log and not to the client. */
function refuse(thrown: unknown, request: Request, { requestId }: RequestContext, log: Log): Response {
  const error = fromDatabase(thrown)
  const refusal = error instanceof StorageError ? error : storageError('InternalError', { error: 'Internal' })
  if (refusal.status >= 500) {
    log.error('storage: request failed', thrown, {
      requestId,
      method: request.method,
      path: new URL(request.url).pathname,
    })
  }
  const headers = { ...refusal.headers, 'cache-control': 'no-store' }
  if (request.method === 'HEAD') return new Response(null, { status: refusal.httpStatus, headers })
  return Response.json(errorBody(refusal), { status: refusal.httpStatus, headers })
}

function withoutBody(response: Response): Response {
  if (response.body === null) return response
  void response.body.cancel()
  return new Response(null, response)
}
