import type { Duplex } from 'node:stream'
import type { Config } from '../config/config.ts'
import { type Identity, TokenError } from '../identity/identity.ts'
import { isClientAbort } from '../kernel/node-http.ts'
import { readBody } from '../kernel/request-body.ts'
import type { RoutePattern } from '../kernel/router.ts'
import type { Log, RequestContext, RequestHandler } from '../kernel/service.ts'
import { ServiceError } from '../kernel/service-error.ts'
import { isForThisMachine, isLoopback } from '../kernel/url.ts'
import { FetchError } from '../platform/fetched-package.ts'
import { type AgentSettings, readSettings } from './agent-settings.ts'
import { createMergedServer, type MergedServerOptions } from './merged-server.ts'
import { createOwnTools } from './own-tools.ts'
import { fetchModules, loadModules, type McpModules } from './package.ts'
import { createPlatform, type PlatformDeps } from './platform.ts'
import { createSqlClient } from './sql.ts'
import { createStackApi, type StackApiOptions } from './stack-api.ts'

export type McpOptions = Omit<PlatformDeps, 'api' | 'sql' | 'supabaseFolder'> & {
  readonly identity: Identity
  readonly config: Config
  /** The stack's listening address. */
  readonly host: string
  readonly dbUrl: string
  /** Replaces connecting by port for a database without one. */
  readonly connect?: ((user: string) => Duplex) | undefined
  readonly mailUrl: string | null
  readonly supabaseFolder: string
  readonly handlerOf: StackApiOptions['handlerOf']
  /** Null for a backend without kept data. */
  readonly keepForUndo: MergedServerOptions['keepForUndo']
  /** Whether to fetch the official server in the background before the first call. */
  readonly isPrefetched: boolean
  readonly log: Log
}

export const mcpRoutes: readonly RoutePattern<'program'>[] = [{ method: '*', path: '/mcp', access: 'program' }]

/** Milliseconds after the start. */
const PREFETCH_DELAY = 3_000
/** The maximum size of a message in bytes: a migration or a function's files. */
const MAX_BODY = 4 * 1024 * 1024

/** `/mcp`: the tools of the official MCP server and of undock, over Streamable HTTP. Stateless: each request has its own server.
 *  @see supabase/cli internal/start/templates/kong.yml (mcp) */
export function createMcp(options: McpOptions): RequestHandler {
  const { identity, config, host, dbUrl, mailUrl, handlerOf, log } = options
  const sql = createSqlClient(dbUrl, options.connect)
  const api = createStackApi({ identity, url: config.api.external_url, handlerOf })
  const platform = createPlatform({ ...options, api, sql })
  const tools = createOwnTools({ api, sql, publishableKey: identity.keys.publishable, mailUrl })
  const tell = () => log.info('fetching the MCP server of Supabase from the npm registry (once per machine)')
  let fetching: Promise<unknown> | null = null
  let failure: FetchError | null = null

  /** Fetches missing packages. After a failure, the next call starts a retry and is refused without waiting. */
  function fetchOnce(): Promise<unknown> {
    fetching ??= fetchModules(tell).then(
      () => {
        failure = null
      },
      (error: unknown) => {
        fetching = null
        if (error instanceof FetchError) failure = error
        throw error
      },
    )
    return fetching
  }

  async function modules(): Promise<McpModules> {
    const fetched = fetchOnce()
    if (failure) {
      fetched.catch(() => undefined)
      throw new FetchError(`${failure.message}. Retrying now: call again in a moment`, { cause: failure })
    }
    await fetched
    return loadModules(tell)
  }

  // A short-lived stack may never need it, and the start must not delay the stack's first responses.
  if (options.isPrefetched)
    setTimeout(
      () => fetchOnce().catch((error: unknown) => log.warn(`/mcp is not available: ${(error as Error).message}`)),
      PREFETCH_DELAY,
    ).unref()

  const toolsFor = ({ isReadOnly, hasOwnTools }: AgentSettings, hasSecretKey: boolean) =>
    tools.filter(
      ({ effect, needsSecretKey }) =>
        hasOwnTools && (!isReadOnly || effect === 'reads') && (!needsSecretKey || hasSecretKey),
    )

  async function answer(request: Request, context: RequestContext): Promise<Response> {
    const hasSecretKey = await checkCaller(request, context)
    const settings = readSettings(new URL(request.url).searchParams)
    const body = request.method === 'POST' ? new Uint8Array(await readBody(request, MAX_BODY)) : null
    if (body && new TextDecoder().decode(body).trimStart().startsWith('['))
      throw new ServiceError('batch', 400, 'The protocol no longer has batches: send one message at a time')
    const loaded = await modules()
    const { fetch } = loaded.protocol.createMcpHandler(() =>
      createMergedServer({
        modules: loaded,
        platform,
        features: settings.features,
        projectId: config.project_id,
        isReadOnly: settings.isReadOnly,
        tools: toolsFor(settings, hasSecretKey),
        keepForUndo: settings.hasSnapshots ? options.keepForUndo : null,
        onFault: (error) => log.error('A tool of MCP failed', error),
      }),
    )
    return fetch(
      new Request(request.url, { method: request.method, headers: request.headers, body, signal: request.signal }),
    )
  }

  /** Programs on this machine need no key, because they can reach the database's port anyway. Others need the secret key. The gateway
   *  refuses other machines' web pages. @returns whether the request has the secret key. @throws {ServiceError | TokenError} */
  async function checkCaller(request: Request, { address }: RequestContext): Promise<boolean> {
    if (identity.credential(request) !== null) {
      const { role } = await identity.authenticate(request)
      if (role !== 'service_role') throw new ServiceError('forbidden', 403, '/mcp accepts only the secret key')
      return true
    }
    if (!isLoopback(address) || !isForThisMachine(request, host))
      throw new ServiceError('no_key', 401, 'From another machine, /mcp needs the secret key in the header apikey')
    return false
  }

  return (request, context) => answer(request, context).catch((error: unknown) => refuse(error, log))
}

/** Returns an error as JSON-RPC. Unexpected errors are our bugs, whose text only goes to the log. */
function refuse(error: unknown, log: Log): Response {
  const answer = (status: number, message: string) =>
    Response.json({ jsonrpc: '2.0', error: { code: -32_000, message }, id: null }, { status })
  if (error instanceof TokenError) return answer(401, 'The key or token is invalid')
  if (error instanceof ServiceError) return answer(error.status, error.message)
  if (error instanceof FetchError)
    return answer(503, `${error.message}. To fetch it ahead of time, run \`undock prefetch mcp\` with a network`)
  if (!isClientAbort(error)) log.error('A request to /mcp failed', error)
  return answer(500, 'Internal error')
}
