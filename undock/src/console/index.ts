import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import pg from 'pg'
import { publicHost } from '../config/public-host.ts'
import { HTTP_LIMITS, type Use, watchUse } from '../kernel/node-http.ts'
import { createRouter, decodeSegments, segmentsOf } from '../kernel/router.ts'
import type { Log } from '../kernel/service.ts'
import { ServiceError, UserError } from '../kernel/service-error.ts'
import { createAssets } from './assets.ts'
import { openConfigFile } from './config-file.ts'
import { type Gate, refusal, SECURITY_HEADERS } from './guard.ts'
import { RowRefusedError } from './import-rows.ts'
import { createTemplateEditor } from './mail-templates.ts'
import type { ConsoleOptions } from './options.ts'
import { createQueryable } from './query.ts'
import { createRealtimeSockets } from './realtime.ts'
import { type ConsoleParts, consoleRoutes, UNKNOWN } from './routes.ts'
import { StatementFailure } from './run-statements.ts'
import { createSessions } from './sessions.ts'
import { createSettingsEditor } from './settings.ts'
import { createSnippets } from './snippets.ts'
import { createTabs } from './tabs.ts'

export type Console = {
  readonly url: string
  /** A one-time URL that opens the console in a browser without a session. */
  openingUrl(): string
  /** Counts requests and sockets from now on. */
  watchUse(): () => Use
  close(): Promise<void>
}

/** Starts the console: its client, and the API for it, with the rights of the project's owner.
 *  @throws {Error} `claimPort`'s, if the port is taken. */
export async function startConsole(options: ConsoleOptions): Promise<Console> {
  const { host, claimPort } = options
  let answer: (request: Request, address: string) => Response | Promise<Response> = () =>
    new Response(null, { status: 503 })
  const server = await claimPort(options.port, 'the console (studio.port)', async (port) => {
    const listening = serve({
      fetch: (request, { incoming }) => answer(request, incoming.socket.remoteAddress ?? ''),
      hostname: host,
      port,
      serverOptions: HTTP_LIMITS,
    })
    await once(listening, 'listening')
    return listening as Server
  })
  const { port } = server.address() as AddressInfo
  const sessions = createSessions(port)
  const queryable = createQueryable(options.dbUrl, options.db, options.keepForUndo)
  const tabs = createTabs(options.dbUrl, options.db, options.keepForUndo)
  const realtimeSockets = createRealtimeSockets({ ...options, sessions })
  server.on('upgrade', realtimeSockets.upgrade)
  const url = `http://${publicHost(host)}:${port}`
  // Both editors write the same file.
  const configFile = openConfigFile(options.supabaseFolder)

  const parts: ConsoleParts = {
    options,
    sessions,
    queryable,
    tabs,
    templates: createTemplateEditor(options.mailTemplates, configFile, options.supabaseFolder),
    settings: createSettingsEditor(options.settings, configFile, options.supabaseFolder),
    snippets: createSnippets(options.supabaseFolder),
    asset: createAssets(options.folder),
  }
  const gate = { host, isLocal: options.isLocal, sessions }
  answer = (request, address) => answerRequest(request, address, parts, gate)

  return {
    url,
    openingUrl: () => `${url}/open/${sessions.newCode()}`,
    watchUse: () => watchUse(server),
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeAllConnections()
      realtimeSockets.close()
      await Promise.all([closed, queryable.close(), tabs.close()])
    },
  }
}

const router = createRouter(consoleRoutes)

async function answerRequest(request: Request, address: string, parts: ConsoleParts, gate: Gate): Promise<Response> {
  const url = new URL(request.url)
  const match = router.find(request.method, decodeSegments(url.pathname) ?? segmentsOf(url.pathname))
  // Every GET is answered with the page; writes to unknown paths are refused.
  const { route, params } = match.kind === 'found' ? match : { route: UNKNOWN, params: {} }
  const call = { ...parts, request, url, params, address }
  const response =
    refusal(route.access, request, gate) ??
    (await route.handle(call).catch((error: unknown) => refuse(error, parts.options.log)))
  for (const [name, value] of Object.entries(SECURITY_HEADERS))
    if (!response.headers.has(name)) response.headers.set(name, value)
  if (url.pathname.startsWith('/api/')) response.headers.set('cache-control', 'no-store')
  return response
}

function refuse(error: unknown, log: Log): Response {
  const answer = (status: number, body: object) => Response.json(body, { status })
  if (error instanceof StatementFailure || error instanceof RowRefusedError) return answer(422, error.fault)
  if (error instanceof pg.DatabaseError) return answer(422, new StatementFailure(error).fault)
  if (error instanceof UserError) return answer(422, { message: error.message })
  if (error instanceof ServiceError) return answer(error.status, { message: error.message })
  log.error('The console failed to answer', error)
  return answer(500, { message: 'The console failed to answer; the log says why.' })
}
