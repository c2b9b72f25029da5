import { join } from 'node:path'
import { type Identity, TokenError } from '../identity/identity.ts'
import { isClientAbort } from '../kernel/node-http.ts'
import { readBody } from '../kernel/request-body.ts'
import type { RoutePattern } from '../kernel/router.ts'
import type { Log, Service } from '../kernel/service.ts'
import { ServiceError } from '../kernel/service-error.ts'
import { AS_TESTED, FetchError, fetchPackage } from '../platform/fetched-package.ts'
import { MetaProcess } from './process.ts'

const PACKAGE = '@supabase/postgres-meta'
/** The version that undock is tested with. */
const VERSION = '0.99.0'

/** The file of postgres-meta that builds its server. The package is fetched once on a machine: it is not installed with
 *  undock, because many projects never need it and it takes 212 MB.
 *  @param tell Called before it is fetched.
 *  @throws {FetchError} */
export async function provideServerFile(tell: () => void): Promise<string> {
  return join(await fetchPackage(`${PACKAGE}@${VERSION}`, tell, [AS_TESTED]), PACKAGE, 'dist/server/app.js')
}

export type PostgresMetaOptions = {
  readonly identity: Identity
  /** The database that it administers, with the rights of this address's user. */
  readonly dbUrl: string
  readonly log: Log
}

const PREFIX = '/pg'

/** Passes everything to postgres-meta. Only the secret key can use it; `supabase start` admits anyone.
 *  @see supabase/cli internal/start/templates/kong.yml (pg-meta) */
export const postgresMetaRoutes: readonly RoutePattern<'service'>[] = [
  { method: '*', path: '/{path...}', access: 'service' },
]
/** The limit of postgres-meta itself (3 MiB). */
const MAX_BODY = 3 * 1024 * 1024

/** `/pg/…`: the npm package postgres-meta, for consoles and type generators. The first request fetches and starts it. */
export function createPostgresMeta({ identity, dbUrl, log }: PostgresMetaOptions): Service {
  let starting: Promise<MetaProcess> | null = null
  let running: MetaProcess | null = null
  let isClosed = false

  /** The process that runs, or is being started: a new one after the last one ended or could not be started. */
  function metaProcess(): Promise<MetaProcess> {
    starting ??= start().catch((error: unknown) => {
      starting = null
      throw error
    })
    return starting
  }

  async function start(): Promise<MetaProcess> {
    const file = await provideServerFile(() =>
      log.info('fetching postgres-meta from the npm registry (once on this machine)'),
    )
    if (isClosed) throw new ServiceError('closed', 503, 'The stack is stopping')
    const onEnd = () => {
      starting = null
      running = null
    }
    running = new MetaProcess({ file, dbUrl, log, onEnd })
    return running
  }

  async function answer(request: Request): Promise<Response> {
    await checkSecretKey(request, identity)
    const meta = await metaProcess()
    const { pathname, search } = new URL(request.url)
    const hasBody = !['GET', 'HEAD'].includes(request.method)
    const { status, contentType, body } = await meta.answer({
      method: request.method,
      url: (pathname.slice(PREFIX.length) || '/') + search,
      headers: forwardedHeaders(request.headers),
      payload: hasBody ? await readBody(request, MAX_BODY) : undefined,
    })
    return new Response(body.length > 0 ? body : null, {
      status,
      headers: contentType ? { 'content-type': contentType } : {},
    })
  }

  return {
    handle: (request) => answer(request).catch((error: unknown) => refuse(error, log)),
    // Every request opens a connection of its own.
    onDatabaseReplaced: async () => undefined,
    async close() {
      isClosed = true
      await running?.close()
    },
  }
}

/** @throws {ServiceError} */
async function checkSecretKey(request: Request, identity: Identity): Promise<void> {
  if (identity.credential(request) === null)
    throw new ServiceError('no_key', 401, 'The secret key of the project is missing')
  const { role } = await identity.authenticate(request)
  if (role !== 'service_role')
    throw new ServiceError('forbidden', 403, 'Only the secret key of the project may use /pg')
}

/** Other headers aren't forwarded: postgres-meta would connect to the database in `x-connection-encrypted`. */
const forwardedHeaders = (headers: Headers): Record<string, string> =>
  Object.fromEntries(
    ['content-type', 'accept', 'x-pg-application-name'].flatMap((name) => {
      const value = headers.get(name)
      return value === null ? [] : [[name, value]]
    }),
  )

/** A refusal in the shape of postgres-meta's errors. Any other error is our bug, and its text goes only to the log. */
function refuse(error: unknown, log: Log): Response {
  const answer = (status: number, message: string) => Response.json({ error: message }, { status })
  if (error instanceof TokenError) return answer(401, 'The key or token is invalid')
  if (error instanceof ServiceError) return answer(error.status, error.message)
  if (!isClientAbort(error)) log.error('A request to postgres-meta failed', error)
  return error instanceof FetchError ? answer(503, error.message) : answer(500, 'Internal Server Error')
}
