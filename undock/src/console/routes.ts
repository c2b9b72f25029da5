import { decodeJwt, decodeProtectedHeader } from 'jose'
import { z } from 'zod'
import { findCaller } from '../access/callers.ts'
import { addMigration, MigrationRefusedError } from '../database/migrations/add-migration.ts'
import { readScripts, schemaPatterns } from '../database/migrations/project-files.ts'
import { type Identity, TokenError } from '../identity/identity.ts'
import { readJsonBody } from '../kernel/request-body.ts'
import { type RoutePattern, WEBSOCKET } from '../kernel/router.ts'
import type { Log } from '../kernel/service.ts'
import { ServiceError } from '../kernel/service-error.ts'
import { addStarter, type StarterFile, starterConflicts, starterFiles } from '../project-tools/starters/add-starter.ts'
import { readStarter, STARTER_NAMES, type StarterName } from '../project-tools/starters/catalog.ts'
import { readFindings } from './advisors.ts'
import type { createAssets } from './assets.ts'
import { callFunction, callMail, callService, FunctionCall } from './calls.ts'
import { type ConsoleAccess, isLocalVisit, mayChange, NOT_ALLOWED } from './guard.ts'
import { importRows } from './import-rows.ts'
import { answerLogs } from './logs.ts'
import { SampleMail, TemplateChange, TemplateDraft, type TemplateEditor } from './mail-templates.ts'
import type { ConsoleOptions } from './options.ts'
import { Queries, type Queryable } from './query.ts'
import { REALTIME_PATH } from './realtime.ts'
import { failStatement } from './run-statements.ts'
import type { Sessions } from './sessions.ts'
import { SettingsDraft, type SettingsEditor } from './settings.ts'
import type { Snippets } from './snippets.ts'
import STUDIO_PATHS from './studio-paths.json' with { type: 'json' }
import { Script, type ScriptEvent, ScriptQuestion, type Tabs } from './tabs.ts'

/** A pasted access token or API key. */
const Credential = z.strictObject({ token: z.string().trim().min(1).max(65_536) })

/** @property header Null for a key that isn't a JWT. @property claims For such a key, its requests' claims; null if invalid. @property role
 *  Its requests' role; null if refused. @property refusal Why services refuse it; null if valid. */
export type TokenReport = {
  readonly header: Readonly<Record<string, unknown>> | null
  readonly claims: Readonly<Record<string, unknown>> | null
  readonly role: string | null
  readonly refusal: string | null
}

/** Decodes a token, and verifies it with the project's keys. */
async function readToken(identity: Identity, { token }: z.infer<typeof Credential>): Promise<TokenReport> {
  const decoded = decode(token)
  try {
    const { role, claims } = await identity.verify(token)
    return { header: decoded?.header ?? null, claims: decoded?.claims ?? claims, role, refusal: null }
  } catch (error) {
    if (!(error instanceof TokenError)) throw error
    return { header: decoded?.header ?? null, claims: decoded?.claims ?? null, role: null, refusal: error.message }
  }
}

function decode(token: string): { header: Record<string, unknown>; claims: Record<string, unknown> } | null {
  try {
    return { header: { ...decodeProtectedHeader(token) }, claims: decodeJwt(token) }
  } catch {
    return null
  }
}

/** A starter, with its files in this project. @property conflicts What it conflicts with, such as `the table public.todos`. */
export type DescribedStarter = {
  readonly name: StarterName
  readonly title: string
  readonly summary: string
  readonly files: readonly StarterFile[]
  readonly snippet: string
  readonly conflicts: readonly string[]
}

const ChosenStarter = z.strictObject({ name: z.enum(STARTER_NAMES) })

type Project = Pick<ConsoleOptions, 'supabaseFolder' | 'config' | 'isLocal'>
const targetOf = ({ supabaseFolder, config }: Project) => ({ supabaseFolder, seed: config.db.seed })

const describeStarters = (queryable: Queryable, project: Project): Promise<DescribedStarter[]> =>
  queryable.withClient(async (client) => {
    const described: DescribedStarter[] = []
    for (const starter of STARTER_NAMES.map(readStarter)) {
      const { name, title, summary, snippet } = starter
      const files = await starterFiles(starter, targetOf(project))
      const conflicts = await starterConflicts(client, starter, targetOf(project))
      described.push({ name, title, summary, snippet, files, conflicts })
    }
    return described
  })

/** @returns the written files' paths.
 *  @throws {MigrationRefusedError} also for another server: the seed creates users with a public password. */
async function applyStarter(
  queryable: Queryable,
  project: Project,
  { name }: z.infer<typeof ChosenStarter>,
): Promise<string[]> {
  if (!project.isLocal)
    throw new MigrationRefusedError(
      'This database is not local: a starter, with its users and rows, is for local work.',
    )
  return queryable.withClient((client) => addStarter(client, readStarter(name), targetOf(project)))
}

/** The routes' dependencies. */
export type ConsoleParts = {
  readonly options: ConsoleOptions
  readonly sessions: Sessions
  readonly queryable: Queryable
  readonly tabs: Tabs
  readonly templates: TemplateEditor
  readonly settings: SettingsEditor
  readonly snippets: Snippets
  readonly asset: ReturnType<typeof createAssets>
}

type ConsoleCall = ConsoleParts & {
  readonly request: Request
  readonly url: URL
  readonly params: Readonly<Record<string, string>>
  /** The caller's network address. */
  readonly address: string
}

export type ConsoleRoute = RoutePattern<ConsoleAccess> & {
  readonly handle: (call: ConsoleCall) => Promise<Response>
}

/** @param answer Returns a response, a JSON value, or undefined for an empty response. */
function route(
  method: string,
  path: string,
  access: ConsoleAccess,
  answer: (call: ConsoleCall) => unknown,
): ConsoleRoute {
  return {
    method,
    path,
    access,
    async handle(call) {
      const body = await answer(call)
      if (body instanceof Response) return body
      return body === undefined ? new Response(null, { status: 204 }) : Response.json(body)
    },
  }
}

/** The maximum size of requests to the console itself in bytes. Requests to services have the service's limits. */
const BODY_LIMIT = 16 * 1024 * 1024
const bodyOf = <T>({ request }: ConsoleCall, schema: z.ZodType<T>): Promise<T> =>
  readJsonBody(request, schema, BODY_LIMIT)

const service = ({ options, request, address }: ConsoleCall) => callService(options, request, address)
const inbox = ({ options, request }: ConsoleCall) => callMail(options.mail, request)

export const UNKNOWN = route('*', '/api/{path...}', 'session', ({ request, url }) => {
  throw new ServiceError('not_found', 404, `There is no ${request.method} ${url.pathname}`)
})

/** These don't change another server's database, so they only need a session. For statements, the field `access` decides. */
// biome-ignore format: a table
export const consoleRoutes: readonly ConsoleRoute[] = [
  route('GET',    '/api/project',                  'session', ({ options }) => options.facts()),
  route('GET',    '/api/caller',                   'session', ({ options, url }) => findCaller(options.db, url.searchParams.get('as') ?? 'service_role')),
  route('GET',    '/api/logs',                     'session', ({ options, request }) => answerLogs(options.recentLines, request)),
  route('POST',   '/api/token',                    'session', async (call) => readToken(call.options.identity, await bodyOf(call, Credential))),
  route('GET',    '/api/advisors',                 'session', async ({ queryable, options }) => readFindings(queryable, (await options.facts()).schemas)),

  route('POST',   '/api/query',                    'session', query),
  route('POST',   '/api/types',                    'session', async (call) => call.queryable.typeNames(await bodyOf(call, TypeIds))),
  route('POST',   '/api/import',                   'change',  async ({ queryable, options, request }) => ({ count: await importRows(queryable, options.db, request) })),
  route('POST',   '/api/tabs/{tab}',               'change',  async (call) => answerScript(call.tabs.runScript(call.params.tab ?? '', await bodyOf(call, Script)), call.options.log)),
  route('POST',   '/api/tabs/{tab}/losses',        'change',  async (call) => call.tabs.losses(call.params.tab ?? '', await bodyOf(call, ScriptQuestion))),
  route('POST',   '/api/tabs/{tab}/cancel',        'change',  ({ tabs, params }) => tabs.cancel(params.tab ?? '')),
  route('DELETE', '/api/tabs/{tab}',               'change',  ({ tabs, params }) => tabs.end(params.tab ?? '')),

  route('GET',    '/api/schema-files',             'session', schemaFiles),
  route('POST',   '/api/migrations',               'change',  migrate),
  route('GET',    '/api/starters',                 'session', ({ queryable, options }) => describeStarters(queryable, options)),
  route('POST',   '/api/starters',                 'change',  async (call) => ({ paths: await applyStarter(call.queryable, call.options, await bodyOf(call, ChosenStarter)) })),
  route('GET',    '/api/snippets',                 'session', ({ snippets }) => snippets.list()),
  route('GET',    '/api/snippets/{name...}',       'session', ofFile(({ snippets, params }) => snippets.read(params.name ?? ''))),
  route('PUT',    '/api/snippets/{name...}',       'session', ofFile(saveSnippet)),
  route('PATCH',  '/api/snippets/{name...}',       'session', ofFile(async (call) => call.snippets.rename(call.params.name ?? '', (await bodyOf(call, SnippetName)).name))),
  route('DELETE', '/api/snippets/{name...}',       'session', ofFile(({ snippets, params }) => snippets.remove(params.name ?? ''))),

  route('GET',    '/api/mail-templates',           'session', ({ templates }) => templates.list()),
  route('PUT',    '/api/mail-templates',           'change',  async (call) => call.templates.write(await bodyOf(call, TemplateChange))),
  route('POST',   '/api/mail-templates/changes',   'session', async (call) => call.templates.changes(await bodyOf(call, TemplateChange))),
  route('POST',   '/api/mail-templates/preview',   'session', async (call) => call.templates.preview(await bodyOf(call, TemplateDraft))),
  route('GET',    '/api/mail-templates/view/{page}', 'frame', ({ templates, params }) => templates.view(params.page ?? '')),
  route('POST',   '/api/mail-templates/sample',    'change',  async (call) => call.templates.sendSample(await bodyOf(call, SampleMail))),

  route('GET',    '/api/settings',                 'session', ({ settings }) => settings.list()),
  route('POST',   '/api/settings/changes',         'session', async (call) => call.settings.changes(await bodyOf(call, SettingsDraft))),
  route('PUT',    '/api/settings',                 'change',  ofFile(async (call) => call.settings.write(await bodyOf(call, SettingsDraft)))),

  route('*',      '/api/mail/v1/{path...}',        'session', inbox),
  route('GET',    '/api/mail/events',              'session', inbox),
  route('GET',    '/api/mail/view/{file}',         'frame',   inbox),
  route('POST',   '/api/functions/call',           'change',  async (call) => callFunction(call.options, await bodyOf(call, FunctionCall), call)),
  route('GET|HEAD', '/api/services/{path...}',     'session', service),
  // Reads only, despite being a POST.
  route('POST',   '/api/services/storage/v1/object/list-v2/{bucket}', 'session', service),
  route('*',      '/api/services/{path...}',       'change',  service),
  // realtime.ts handles it with the same session check.
  route(WEBSOCKET, REALTIME_PATH,                  'session', () => undefined),
  UNKNOWN,

  route('GET',    '/open/{code}',                  'machine', openByLink),
  route('GET|HEAD', '/{path...}',                  'machine', answerPage),
]

async function query(call: ConsoleCall) {
  const queries = await bodyOf(call, Queries)
  // A trial is rolled back, but locks tables and runs triggers.
  const changes = queries.access === 'write' || queries.trial !== undefined
  if (changes && !mayChange(call.request, call.options)) throw new ServiceError('not_allowed', 403, NOT_ALLOWED)
  return call.queryable.run(queries)
}

const TypeIds = z.array(z.int().min(0)).max(2_000)

async function schemaFiles({ options }: ConsoleCall): Promise<string[]> {
  const { scripts } = await readScripts(options.supabaseFolder, schemaPatterns(options.config))
  return scripts.map(({ path }) => path)
}

/** A schema change, saved in `supabase/migrations` and, if the schema is declared, in its files. */
const NewMigration = z.strictObject({
  name: z.string(),
  script: z.string(),
  schemaFile: z.string().optional(),
  isApplied: z.boolean().optional(),
  /** Whether to keep the data first. */
  snapshot: z.boolean().default(false),
})

async function migrate(call: ConsoleCall) {
  const migration = await bodyOf(call, NewMigration)
  const { schemaFile } = migration
  if (schemaFile !== undefined && !(await schemaFiles(call)).includes(schemaFile))
    throw new MigrationRefusedError(`${schemaFile} is not one of the files that declare this project's schema.`)
  const { supabaseFolder, keepForUndo } = call.options
  if (migration.snapshot) await keepForUndo?.('console').catch(failStatement)
  return { path: await call.queryable.withClient((client) => addMigration(client, supabaseFolder, migration)) }
}

async function saveSnippet(call: ConsoleCall) {
  const { text, version } = await bodyOf(call, SnippetContent)
  return call.snippets.save(call.params.name ?? '', text, version)
}

const SnippetContent = z.strictObject({ text: z.string(), version: z.string().nullable() })
const SnippetName = z.strictObject({ name: z.string() })

/** No permission, a read-only or full disk, or a folder instead of a file. */
const REFUSALS = ['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'ENOTDIR', 'EEXIST', 'EISDIR', 'ENAMETOOLONG']

function ofFile(answer: (call: ConsoleCall) => unknown): (call: ConsoleCall) => Promise<unknown> {
  return async (call) => {
    try {
      return await answer(call)
    } catch (error) {
      const { code = '', message } = error as NodeJS.ErrnoException
      if (!REFUSALS.includes(code)) throw error
      throw new ServiceError('file_system', 409, `The operating system refuses that: ${message}`)
    }
  }
}

/** Streams a script's events as lines of JSON. Buffers unread lines in memory, because a sleeping page must not keep a
 *  transaction open. @throws errors before the first event. */
async function answerScript(events: AsyncGenerator<ScriptEvent, void>, log: Log): Promise<Response> {
  const encoder = new TextEncoder()
  const first = await events.next()
  let isGone = false

  async function send(controller: ReadableStreamDefaultController): Promise<void> {
    try {
      for (let next = first; !next.done && !isGone; next = await events.next())
        controller.enqueue(encoder.encode(`${JSON.stringify(next.value)}\n`))
      await events.return()
    } catch (error) {
      // Without the last event, the client knows that the response is incomplete.
      log.error('The console failed to run a script', error)
    }
    if (!isGone) controller.close()
  }

  const body = new ReadableStream({
    start(controller) {
      void send(controller)
    },
    cancel() {
      isGone = true
    },
  })
  return new Response(body, { headers: { 'content-type': 'application/x-ndjson' } })
}

function openByLink({ sessions, params }: ConsoleCall): Response {
  if (!sessions.redeem(params.code ?? ''))
    return text('This link was already used or has expired. Run `undock console` for a new one.\n', 403)
  return new Response(null, { status: 303, headers: { location: '/', 'set-cookie': sessions.cookie } })
}

const NOT_BUILT =
  'The console is not built yet. In a clone of the repository, run `npm run console`; then load this page again.\n'

async function answerPage({ asset, sessions, request, url: { pathname }, address }: ConsoleCall): Promise<Response> {
  const response = await asset(pathname, request)
  if (response) return response
  if (pathname.startsWith('/assets/')) return text('There is no such file\n', 404)
  const moved = studioPath(pathname)
  if (moved) return new Response(null, { status: 302, headers: { location: moved } })
  const page = await asset('/index.html', request)
  if (!page) return text(NOT_BUILT, 503)
  if (!sessions.holds(request) && isLocalVisit(request, address)) page.headers.set('set-cookie', sessions.cookie)
  return page
}

const text = (body: string, status: number): Response =>
  new Response(body, { status, headers: { 'content-type': 'text/plain; charset=utf-8' } })

/** Maps a Studio path to the same screen here, so that links in tutorials work; null for others.
 *  @see supabase/supabase apps/studio/pages/project/[ref] */
function studioPath(path: string): string | null {
  if (path === '/project') return '/'
  const [, rest] = /^\/project\/[\w-]+\/?(.*)$/.exec(path) ?? []
  if (rest === undefined) return null
  const screens = Object.entries(STUDIO_PATHS)
  return screens.find(([studio]) => rest === studio || studio === '' || rest.startsWith(`${studio}/`))?.[1] ?? null
}
