import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { type Identity, TokenError } from '../identity/identity.ts'
import { isClientAbort } from '../kernel/node-http.ts'
import { readBody } from '../kernel/request-body.ts'
import type { RoutePattern } from '../kernel/router.ts'
import type { Log, Service } from '../kernel/service.ts'
import { ServiceError } from '../kernel/service-error.ts'
import { AS_TESTED, FetchError, fetchPackage } from '../platform/fetched-package.ts'

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

type MetaRequest = {
  readonly method: string
  /** Path and query. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly payload: Buffer | undefined
}

type MetaResponse = {
  readonly status: number
  readonly contentType: string | null
  readonly body: Uint8Array<ArrayBuffer>
}

const ENTRY = fileURLToPath(new URL('./process-entry.js', import.meta.url))
/** MiB that the result of one query may have; larger ones are refused by postgres-meta. */
const MAX_RESULT = '128'

type MetaProcessOptions = {
  /** The file of postgres-meta that builds its server. */
  readonly file: string
  readonly dbUrl: string
  readonly log: Log
  /** Called once, however it ends. */
  readonly onEnd: () => void
}

/** postgres-meta in its own process: it reads its settings from the environment as it is imported, changes how
 *  node-postgres reads types, and takes 260 MB, which end with it. */
class MetaProcess {
  readonly #child: ChildProcess
  readonly #pending = new Map<number, PromiseWithResolvers<MetaResponse>>()
  #lastId = 0
  #ended = false

  constructor({ file, dbUrl, log, onEnd }: MetaProcessOptions) {
    const { SystemRoot } = process.env
    this.#child = fork(ENTRY, [file], {
      // Buffers stay buffers.
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      execArgv: [],
      env: {
        NODE_NO_WARNINGS: '1',
        PG_META_DB_URL: dbUrl,
        PG_META_MAX_RESULT_SIZE_MB: MAX_RESULT,
        // Windows opens no socket without it.
        ...(SystemRoot !== undefined && { SystemRoot }),
      },
    })
    if (this.#child.stderr) createInterface(this.#child.stderr).on('line', (line) => log.warn(`postgres-meta: ${line}`))
    this.#child.on('message', (message) => this.#receive(message as { id: number } & MetaResponse))
    this.#child.once('error', () => this.#end(onEnd))
    this.#child.once('exit', () => this.#end(onEnd))
  }

  /** @throws {ServiceError} 502 when the process ends before it has answered */
  answer(request: MetaRequest): Promise<MetaResponse> {
    const id = ++this.#lastId
    const pending = Promise.withResolvers<MetaResponse>()
    this.#pending.set(id, pending)
    // Messages sent before the package is loaded wait in the channel. A dead process is reported by its exit.
    this.#child.send({ id, request }, () => undefined)
    return pending.promise
  }

  async close(): Promise<void> {
    if (this.#ended) return
    const exit = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await exit
  }

  #receive({ id, ...response }: { id: number } & MetaResponse): void {
    this.#pending.get(id)?.resolve(response)
    this.#pending.delete(id)
  }

  #end(onEnd: () => void): void {
    if (this.#ended) return
    this.#ended = true
    onEnd()
    for (const { reject } of this.#pending.values())
      reject(new ServiceError('ended', 502, 'postgres-meta ended; `undock logs` shows its last output'))
    this.#pending.clear()
  }
}
