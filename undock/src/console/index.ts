import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type HttpBindings, serve } from '@hono/node-server'
import { Hono } from 'hono'
import pg from 'pg'
import { z } from 'zod'
import { findCaller } from '../access/callers.ts'
import { AccessQuestionError } from '../access/explanation.ts'
import { publicHost } from '../config/public-host.ts'
import { addMigration, MigrationRefusedError } from '../database/migrations/add-migration.ts'
import { readScripts } from '../database/migrations/project-files.ts'
import { schemaPatterns } from '../database/migrations/schema-files.ts'
import { HTTP_LIMITS } from '../kernel/http-limits.ts'
import { ServiceError } from '../kernel/service-error.ts'
import { readFindings } from './advisors.ts'
import { createAssets } from './assets.ts'
import { callFunction, FunctionCall } from './call-function.ts'
import { setKey } from './caller-key.ts'
import { hasOwnHost, isLocalVisit, refusal, SECURITY_HEADERS } from './guard.ts'
import { importRows, RowRefusedError } from './import-rows.ts'
import { bodyOf } from './json-body.ts'
import { answerLogs } from './logs.ts'
import { callMail } from './mail.ts'
import { createTemplateEditor, SampleMail, TemplateChange, TemplateDraft } from './mail-templates.ts'
import type { ConsoleOptions } from './options.ts'
import { createQueryable, Queries } from './query.ts'
import { createRealtimeSockets } from './realtime.ts'
import { StatementFailure } from './run-statements.ts'
import { answerScript } from './script-stream.ts'
import { createSessions } from './sessions.ts'
import { snippetRoutes } from './snippet-routes.ts'
import { createSnippets } from './snippets.ts'
import { applyStarter, ChosenStarter, describeStarters } from './starters.ts'
import { studioPath } from './studio-paths.ts'
import { createTabs, Script, ScriptQuestion } from './tabs.ts'
import { Credential, readToken } from './tokens.ts'

export type Console = {
  readonly url: string
  /** An address that opens the console in a browser which has no session; it can be used once. */
  openingUrl(): string
  close(): Promise<void>
}

type Bindings = { Bindings: HttpBindings }

/** Starts the console: its client, and what that asks of the project with the rights of the project's owner.
 *  @throws {Error} what `claimPort` makes of a port that is taken. */
export async function startConsole(options: ConsoleOptions): Promise<Console> {
  const { host, claimPort, log } = options
  let fetch: (request: Request, bindings: HttpBindings) => Response | Promise<Response> = () =>
    new Response(null, { status: 503 })
  const server = await claimPort(options.port, 'the console (studio.port)', async (port) => {
    const listening = serve({
      fetch: (request, sides) => fetch(request, sides as HttpBindings),
      hostname: host,
      port,
      serverOptions: HTTP_LIMITS,
    })
    await once(listening, 'listening')
    return listening as Server
  })
  const { port } = server.address() as AddressInfo
  const sessions = createSessions(port)
  const queryable = createQueryable(options.dbUrl, options.db)
  const templates = createTemplateEditor(options.mailTemplates, options.supabaseFolder)
  const tabs = createTabs(options.dbUrl, options.db)
  const realtimeSockets = createRealtimeSockets({ ...options, sessions })
  server.on('upgrade', realtimeSockets.upgrade)
  const asset = createAssets(options.folder)
  const url = `http://${publicHost(host)}:${port}`

  const app = new Hono<Bindings>()
  app.use(async (c, next) => {
    if (!hasOwnHost(c.req.raw, host)) return c.text('This console answers only on this machine\n', 403)
    await next()
    for (const [name, value] of Object.entries(SECURITY_HEADERS))
      if (!c.res.headers.has(name)) c.res.headers.set(name, value)
    return undefined
  })
  app.use('/api/*', async (c, next) => {
    const reason = refusal(c.req.raw, sessions)
    if (reason) return c.json({ message: reason }, 401)
    await next()
    c.res.headers.set('cache-control', 'no-store')
    return undefined
  })
  app.use('/api/*', async (c, next) => {
    if (options.isLocal || isRead(c.req.raw) || c.req.header(ALLOWED) === 'yes') return next()
    return c.json({ message: NOT_ALLOWED }, 403)
  })
  app.get('/api/project', async (c) => c.json(await options.facts()))
  app.post('/api/query', async (c) => {
    const queries = await bodyOf(c.req.raw, Queries)
    // A trial is taken back, but it locks tables and runs triggers.
    const changes = queries.access === 'write' || queries.trial !== undefined
    if (changes && !options.isLocal && c.req.header(ALLOWED) !== 'yes') return c.json({ message: NOT_ALLOWED }, 403)
    return c.json(await queryable.run(queries))
  })
  const schemaFiles = async () =>
    (await readScripts(options.supabaseFolder, schemaPatterns(options.config))).scripts.map(({ path }) => path)
  app.get('/api/schema-files', async (c) => c.json(await schemaFiles()))
  app.post('/api/import', async (c) => c.json({ count: await importRows(queryable, options.db, c.req.raw) }))
  app.post('/api/migrations', async (c) => {
    const migration = await bodyOf(c.req.raw, NewMigration)
    const { schemaFile } = migration
    if (schemaFile !== undefined && !(await schemaFiles()).includes(schemaFile))
      throw new MigrationRefusedError(`${schemaFile} is no file that declares this project's schema.`)
    const path = await queryable.withClient((client) => addMigration(client, options.supabaseFolder, migration))
    return c.json({ path })
  })
  app.get('/api/starters', async (c) => c.json(await describeStarters(queryable, options)))
  app.post('/api/starters', async (c) =>
    c.json({ paths: await applyStarter(queryable, options, await bodyOf(c.req.raw, ChosenStarter)) }),
  )
  app.post('/api/token', async (c) => c.json(await readToken(options.identity, await bodyOf(c.req.raw, Credential))))
  app.post('/api/types', async (c) => c.json(await queryable.typeNames(await bodyOf(c.req.raw, TypeIds))))
  app.post('/api/tabs/:tab', async (c) =>
    answerScript(tabs.runScript(c.req.param('tab'), await bodyOf(c.req.raw, Script)), log),
  )
  app.post('/api/tabs/:tab/losses', async (c) =>
    c.json(await tabs.losses(c.req.param('tab'), await bodyOf(c.req.raw, ScriptQuestion))),
  )
  app.post('/api/tabs/:tab/cancel', async (c) => {
    await tabs.cancel(c.req.param('tab'))
    return c.body(null, 204)
  })
  app.delete('/api/tabs/:tab', async (c) => {
    await tabs.end(c.req.param('tab'))
    return c.body(null, 204)
  })
  app.route('/api/snippets', snippetRoutes(createSnippets(options.supabaseFolder)))
  app.get('/api/advisors', async (c) => c.json(await readFindings(queryable, (await options.facts()).schemas)))
  app.get('/api/logs', (c) => answerLogs(options.recentLines, c.req.raw))
  app.post('/api/functions/call', async (c) =>
    callFunction(options, await bodyOf(c.req.raw, FunctionCall), {
      signal: c.req.raw.signal,
      address: c.env.incoming.socket.remoteAddress ?? '',
    }),
  )
  app.get('/api/mail-templates', (c) => c.json(templates.list()))
  app.post('/api/mail-templates/preview', async (c) =>
    c.json(templates.preview(await bodyOf(c.req.raw, TemplateDraft))),
  )
  app.get('/api/mail-templates/view/:page', (c) => templates.view(c.req.param('page')))
  app.post('/api/mail-templates/changes', async (c) =>
    c.json(await templates.changes(await bodyOf(c.req.raw, TemplateChange))),
  )
  app.put('/api/mail-templates', async (c) => c.json(await templates.write(await bodyOf(c.req.raw, TemplateChange))))
  app.post('/api/mail-templates/sample', async (c) => {
    await templates.sendSample(await bodyOf(c.req.raw, SampleMail))
    return c.body(null, 204)
  })
  app.get('/api/caller', async (c) => c.json(await findCaller(options.db, c.req.query('as') ?? 'service_role')))
  app.all('/api/mail/*', (c) => callMail(options.mail, c.req.raw))
  app.all('/api/services/*', (c) => callService(options, c.req.raw, c.env.incoming.socket.remoteAddress ?? ''))
  app.all('/api/*', (c) => c.json({ message: `There is no ${c.req.method} ${c.req.path}` }, 404))
  app.get('/open/:code', (c) => {
    if (!sessions.redeem(c.req.param('code')))
      return c.text('This link was used already, or is too old. Run `undock console` for a new one.\n', 403)
    return new Response(null, { status: 303, headers: { location: '/', 'set-cookie': sessions.cookie } })
  })
  app.get('*', async (c) => {
    const { path } = c.req
    const found = await asset(path)
    if (found) return found
    if (path.startsWith('/assets/')) return c.text('There is no such file\n', 404)
    const moved = studioPath(path)
    if (moved) return c.redirect(moved, 302)
    const page = await asset('/index.html')
    if (!page) return c.text(NOT_BUILT, 503)
    const isNew = !sessions.holds(c.req.raw) && isLocalVisit(c.req.raw, c.env.incoming.socket.remoteAddress ?? '')
    if (isNew) page.headers.set('set-cookie', sessions.cookie)
    return page
  })
  app.onError((error, c) => {
    if (error instanceof StatementFailure || error instanceof RowRefusedError) return c.json(error.fault, 422)
    if (error instanceof pg.DatabaseError) return c.json(new StatementFailure(error).fault, 422)
    if (error instanceof AccessQuestionError || error instanceof MigrationRefusedError)
      return c.json({ message: error.message }, 422)
    if (error instanceof ServiceError) return Response.json({ message: error.message }, { status: error.status })
    log.error('The console failed to answer', error)
    return c.json({ message: 'The console failed to answer; the log says why.' }, 500)
  })
  fetch = (request, bindings) => app.fetch(request, bindings)

  return {
    url,
    openingUrl: () => `${url}/open/${sessions.newCode()}`,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeAllConnections()
      realtimeSockets.close()
      await Promise.all([closed, queryable.close(), tabs.close()])
    },
  }
}

const NOT_BUILT =
  'The console is not built yet. In a clone of the repository, run `npm run console`; then load this page again.\n'

/** A change of the schema, which becomes a file of `supabase/migrations` and, where the schema is declared, a part of that. */
const NewMigration = z.strictObject({
  name: z.string(),
  script: z.string(),
  schemaFile: z.string().optional(),
  isApplied: z.boolean().optional(),
})

const NOT_ALLOWED = 'This database is not local. Allow changes in the line at the top of the page first.'

const TypeIds = z.array(z.int().min(0)).max(2_000)

/** The header by which the client says that a person has allowed changes of a server that undock does not run. */
const ALLOWED = 'x-console-changes'

/** Whether a request cannot change anything: `/api/query` is checked by its own `access`. */
const isRead = ({ method, url }: Request): boolean =>
  method === 'GET' || method === 'HEAD' || READING.test(new URL(url).pathname)
/** Statements, tokens, previews, lists of files, and what is never another server's: the inbox, and the project's own files. */
const READING =
  /^\/api\/(?:query|types|token|mail\/.*|mail-templates\/(?:preview|changes)|snippets\/.*|services\/storage\/v1\/object\/list-v2\/[^/]+)$/

/** Headers that belong to the connection with the console, not to the service's request. */
const OWN_HEADERS = ['host', 'cookie', 'origin', 'referer', 'connection', 'authorization', 'apikey', 'x-console-as']

/** Calls a service of the stack with the secret key or, with the header `x-console-as`, as the role or user that it names. */
async function callService(
  { apiUrl, handlerOf, ...callerDeps }: ConsoleOptions,
  request: Request,
  address: string,
): Promise<Response> {
  const { pathname, search } = new URL(request.url)
  const path = pathname.slice('/api/services'.length)
  const handle = handlerOf(path)
  if (!handle) throw new ServiceError('not_found', 404, `This backend has no service at ${path}`)
  const headers = new Headers(request.headers)
  for (const name of [...headers.keys()])
    if (OWN_HEADERS.includes(name) || name.startsWith('sec-')) headers.delete(name)
  const as = request.headers.get('x-console-as')
  await setKey(headers, as, callerDeps)
  const forwarded = new Request(`${apiUrl}${path}${search}`, {
    method: request.method,
    headers,
    signal: request.signal,
    ...(request.body ? { body: request.body, duplex: 'half' } : {}),
  } as RequestInit)
  const response = await handle(forwarded, { requestId: crypto.randomUUID(), address })
  const passed = new Headers(response.headers)
  // A file of a bucket may be a page with scripts.
  passed.set('content-security-policy', "default-src 'none'; sandbox")
  passed.delete('set-cookie')
  return new Response(response.body, { status: response.status, headers: passed })
}
