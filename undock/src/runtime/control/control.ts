import { z } from 'zod'
import {
  ACTIONS,
  type Answer,
  explain,
  explainRequest,
  findCaller,
  readMatrix,
  writeLeakTests,
} from '../../access/index.ts'
import { ConfigError } from '../../config/fault.ts'
import type { Db } from '../../database/db.ts'
import type { Migration } from '../../database/migrations/project-files.ts'
import type { MigrationState } from '../../database/migrations/state.ts'
import type { ContentPart } from '../../database/project/project-content.ts'
import type { Functions } from '../../functions/index.ts'
import { type Identity, TokenError } from '../../identity/identity.ts'
import type { AdjustableClock } from '../../kernel/adjustable-clock.ts'
import { readJsonBody } from '../../kernel/request-body.ts'
import { createRouter, type RoutePattern, segmentsOf } from '../../kernel/router.ts'
import type { RequestHandler } from '../../kernel/service.ts'
import { ServiceError, UserError } from '../../kernel/service-error.ts'
import { splitUrl } from '../../kernel/url.ts'
import type { Realtime } from '../../realtime/index.ts'
import type { Rest } from '../../rest/index.ts'
import { answerAll, answerLive, answerRequests, findRequest } from '../../timeline/http.ts'
import { replay } from '../../timeline/replay.ts'
import type { Timeline } from '../../timeline/timeline.ts'
import { BranchError } from '../branches/branches.ts'
import type { BranchControl } from '../branches/control.ts'
import { answerBranchDifference, answerBranchList, changeBranches, forkBackend } from './branches.ts'
import type { FaultSwitches } from './faults.ts'
import { answerClock, answerFaults, setClock, setFaults } from './time-and-faults.ts'

export type ControlDeps = {
  readonly identity: Identity
  readonly db: Db
  readonly schemas: readonly string[]
  readonly functions: Pick<Functions, 'serveWith' | 'known' | 'linesOf'> | null
  readonly realtime: Pick<Realtime, 'clients'> | null
  /** The services' clock. */
  readonly clock: AdjustableClock
  readonly faults: FaultSwitches
  reset(part: ContentPart): Promise<void>
  migrations(): Promise<MigrationState>
  migrate(): Promise<readonly Migration[]>
  /** Returns warnings about the project's scripts, once. */
  takeWarnings(): string[]
  /** As `StackPlace.changedSettings`. */
  changedSettings(): readonly string[]
  readonly branches: BranchControl | null
  readonly timeline: Timeline | null
  readonly restTargetOf: Rest['targetOf'] | null
  /** Returns a new one-time link to the console; null if it isn't running. */
  consoleLink(): string | null
  /** The API's address. */
  readonly url: string
  /** All services; read per call, because this handler is one of them. */
  readonly handlers: ReadonlyMap<string, RequestHandler>
}

type Params = Readonly<Record<string, string>>
type Handler = (deps: ControlDeps, request: Request, params: Params) => Response | Promise<Response>

const PREFIX = '/undock/v1'

type Route = RoutePattern<'anyone' | 'service'> & { readonly handle: Handler }

const route = (method: string, path: string, access: Route['access'], handle: Handler): Route => ({
  method,
  path,
  access,
  handle,
})

// biome-ignore format: a table
export const controlRoutes: readonly Route[] = [
  route('*',    '/health',                 'anyone',  () => Response.json({ status: 'ok' })),
  route('POST', '/reset',                  'service', answerReset),
  route('GET',  '/clock',                  'service', ({ clock }) => answerClock(clock)),
  route('POST', '/clock',                  'service', ({ clock }, request) => setClock(clock, request)),
  route('GET',  '/faults',                 'service', ({ faults }) => answerFaults(faults)),
  route('POST', '/faults',                 'service', ({ faults }, request) => setFaults(faults, request)),
  route('GET',  '/branches',               'service', ({ branches }) => answerBranchList(branches)),
  route('GET',  '/branches/difference',    'service', ({ branches }, request) => answerBranchDifference(branches, request)),
  route('POST', '/branches',               'service', ({ branches }, request) => changeBranches(branches, request)),
  route('POST', '/forks',                  'service', ({ branches }, request) => forkBackend(branches, request)),
  route('GET',  '/migrations',             'service', answerMigrations),
  route('POST', '/migrations',             'service', answerMigrate),
  route('GET',  '/settings/changes',       'service', answerChangedSettings),
  route('GET',  '/functions',              'service', answerFunctions),
  route('GET',  '/functions/{name}/lines', 'service', answerFunctionLines),
  route('POST', '/functions/serve',        'service', answerServe),
  route('GET',  '/realtime/clients',       'service', answerRealtimeClients),
  route('POST', '/explain',                'service', answerExplain),
  route('POST', '/console',                'service', answerConsoleLink),
  route('GET',  '/policies',               'service', answerPolicies),
  route('GET',  '/policies/test',          'service', answerLeakTests),
  route('GET',  '/requests',               'service', ({ timeline }, request) => answerRequests(timeline, request)),
  route('GET',  '/requests/live',          'service', ({ timeline }, request) => answerLive(timeline, request)),
  route('GET',  '/requests/all',           'service', ({ timeline }) => answerAll(timeline)),
  route('GET',  '/requests/{id}',          'service', ({ timeline }, _, { id }) => Response.json(findRequest(timeline, id))),
  route('POST', '/requests/{id}/replay',   'service', answerReplay),
]

const router = createRouter(controlRoutes)

/** Creates `/undock/v1`: control of a running stack by other processes, authenticated with the project's secret key. */
export function createControl(deps: ControlDeps): RequestHandler {
  return async (request) => {
    const { pathname } = splitUrl(request.url)
    const match = router.find(request.method, segmentsOf(pathname, PREFIX))
    const access = match.kind === 'found' ? match.route.access : 'service'
    if (access === 'service' && !(await hasSecretKey(request, deps.identity)))
      return refuse(403, "This needs the project's secret key")
    if (match.kind !== 'found') return refuse(404, `There is no ${request.method} ${pathname}`)
    try {
      return await match.route.handle(deps, request, match.params)
    } catch (error) {
      if (error instanceof ServiceError) return refuse(error.status, error.message)
      if (error instanceof UserError) return refuse(error instanceof BranchError ? 409 : 422, error.message)
      throw error
    }
  }
}

const Part = z.strictObject({
  until: z.string().exactOptional(),
  // Limits requests to files inside `supabase/`.
  seed: z.union([z.literal(false), z.array(z.string().regex(/^(?![/\\]|[A-Za-z]:)(?!.*\.\.)/))]).exactOptional(),
})

async function answerReset(deps: ControlDeps, request: Request): Promise<Response> {
  const part = await readJsonBody(request, Part)
  return answerScripts(deps, async () => {
    await deps.reset(part)
    return { status: 'reset' }
  })
}

/** Runs scripts of the project, of which one may fail or be missing. */
async function answerScripts({ takeWarnings }: ControlDeps, run: () => Promise<object>): Promise<Response> {
  takeWarnings()
  try {
    return Response.json({ ...(await run()), warnings: takeWarnings() })
  } catch (error) {
    return refuse(422, error instanceof Error ? error.message : String(error))
  }
}

async function answerMigrations({ migrations }: ControlDeps): Promise<Response> {
  const { pending, late, ...others } = await migrations()
  return Response.json({ ...others, pending: pathsOf(pending), late: pathsOf(late) })
}

function answerChangedSettings({ changedSettings }: ControlDeps): Response {
  try {
    return Response.json({ changed: changedSettings(), fault: null })
  } catch (error) {
    if (error instanceof ConfigError) return Response.json({ changed: [], fault: error.message })
    throw error
  }
}

function answerMigrate(deps: ControlDeps): Promise<Response> {
  return answerScripts(deps, async () => ({ applied: pathsOf(await deps.migrate()) }))
}

const pathsOf = (migrations: readonly Migration[]): string[] => migrations.map(({ path }) => path)

function answerFunctions({ functions }: ControlDeps): Response {
  return Response.json(functions?.known() ?? [])
}

function answerFunctionLines({ functions }: ControlDeps, _: Request, { name = '' }: Params): Response {
  const lines = functions?.linesOf(name)
  return lines ? Response.json(lines) : refuse(404, `There is no function ${name}`)
}

/** The most clients per response. */
const MAX_CLIENTS = 200

function answerRealtimeClients({ realtime }: ControlDeps, request: Request): Response {
  const search = new URL(request.url).searchParams.get('search') ?? ''
  return realtime
    ? Response.json(realtime.clients({ search, limit: MAX_CLIENTS }))
    : refuse(404, 'This backend has no Realtime: set enabled = true in [realtime] of supabase/config.toml')
}

/** Takes variables rather than a file path, so it can't be used to read files the caller can't. */
const Settings = z.strictObject({
  variables: z.record(z.string(), z.string()).exactOptional(),
  noVerifyJwt: z.boolean().exactOptional(),
})

/** Serves functions with other settings until the client closes the endless response. */
async function answerServe({ functions }: ControlDeps, request: Request): Promise<Response> {
  if (!functions) return refuse(404, 'This backend has no functions')
  const end = await functions.serveWith(await readJsonBody(request, Settings))
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode('serving\n')),
    cancel: end,
  })
  return new Response(body, { headers: { 'content-type': 'text/plain' } })
}

const Row = z.record(z.string(), z.unknown())

/** A past request, or a hypothetical one. */
const Question = z.union([
  z.strictObject({ request: z.string(), row: Row.optional(), readsOnly: z.boolean().default(false) }),
  z.strictObject({
    readsOnly: z.boolean().default(false),
    as: z.string(),
    claims: z.record(z.string(), z.unknown()).optional(),
    action: z.enum(ACTIONS),
    target: z.string(),
    where: z.string().optional(),
    row: Row.optional(),
    returning: z.boolean().optional(),
  }),
])

async function answerExplain(deps: ControlDeps, request: Request): Promise<Response> {
  const question = await readJsonBody(request, Question)
  return Response.json(await ('request' in question ? explainKept(deps, question) : explain(deps.db, question)))
}

function explainKept(
  { db, timeline, restTargetOf }: ControlDeps,
  { request, row, readsOnly }: KeptQuestion,
): Promise<Answer> {
  const kept = findRequest(timeline, request)
  const recorded = { ...kept, caller: timeline?.principalOf(kept.id) ?? null }
  return explainRequest(db, recorded, { findTarget: restTargetOf, row, readsOnly })
}
type KeptQuestion = Extract<z.infer<typeof Question>, { request: string }>

function answerConsoleLink({ consoleLink }: ControlDeps): Response {
  const url = consoleLink()
  return url === null
    ? refuse(404, 'This backend has no console: [studio] is turned off in supabase/config.toml')
    : Response.json({ url })
}

const ReplayOptions = z.strictObject({
  as: z.string().optional(),
  body: z.string().optional(),
  secrets: z.record(z.string(), z.string()).optional(),
})

async function answerReplay(deps: ControlDeps, request: Request, { id }: Params): Promise<Response> {
  const { timeline, db, handlers } = deps
  const kept = findRequest(timeline, id)
  const principal = timeline?.principalOf(kept.id) ?? null
  const sending = {
    ...deps,
    keepsBodies: timeline?.keepsBodies ?? false,
    handlerOf: (service: string) => handlers.get(service),
    findCaller: (name: string) => findCaller(db, name),
  }
  return Response.json(await replay(sending, kept, principal, await readJsonBody(request, ReplayOptions)))
}

/** The roles' rights on tables and views of the exposed schemas, or of `?schema=`. */
async function answerPolicies({ db, schemas }: ControlDeps, request: Request): Promise<Response> {
  const asked = new URL(request.url).searchParams.getAll('schema')
  return Response.json(await readMatrix(db, asked.length > 0 ? asked : schemas))
}

async function answerLeakTests({ db, schemas }: ControlDeps): Promise<Response> {
  return new Response(await writeLeakTests(db, await readMatrix(db, schemas)))
}

async function hasSecretKey(request: Request, identity: Identity): Promise<boolean> {
  try {
    return (await identity.authenticate(request)).role === 'service_role'
  } catch (error) {
    if (error instanceof TokenError) return false
    throw error
  }
}

const refuse = (status: number, message: string): Response => Response.json({ message }, { status })
