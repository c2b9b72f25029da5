import { z } from 'zod'
import { ConfigError } from '../../config/fault.ts'
import { type Identity, TokenError } from '../../identity/identity.ts'
import type { AdjustableClock } from '../../kernel/adjustable-clock.ts'
import { readJsonBody } from '../../kernel/request-body.ts'
import { createRouter, type RoutePattern, segmentsOf } from '../../kernel/router.ts'
import type { RequestHandler } from '../../kernel/service.ts'
import { ServiceError, UserError } from '../../kernel/service-error.ts'
import { splitUrl } from '../../kernel/url.ts'
import type { Realtime } from '../../realtime/index.ts'
import { answerAll, answerLive, answerRequests, findRequest } from '../../timeline/http.ts'
import { type ReplayDeps, replay } from '../../timeline/replay.ts'
import type { Timeline } from '../../timeline/timeline.ts'
import { BranchError } from '../branches/branches.ts'
import type { BranchControl } from '../branches/control.ts'
import { answerBranchDifference, answerBranchList, changeBranches, forkBackend } from './branches.ts'
import type { FaultSwitches } from './faults.ts'
import { answerFunctionLines, answerFunctions, type FunctionControl, serveFunctions } from './functions.ts'
import { answerExplain, answerLeakTests, answerPolicies, type RightsDeps } from './rights.ts'
import { answerMigrations, migrate, reset, type ScriptControl } from './scripts.ts'
import { answerClock, answerFaults, setClock, setFaults } from './time-and-faults.ts'

/** What each topic's handlers need. */
export type ControlDeps = {
  readonly identity: Identity
  /** The services' clock. */
  readonly clock: AdjustableClock
  readonly faults: FaultSwitches
  readonly scripts: ScriptControl
  readonly branches: BranchControl | null
  readonly functions: FunctionControl
  readonly realtime: RealtimeControl
  readonly rights: RightsDeps
  readonly timeline: Timeline | null
  readonly replaying: ReplayDeps
  /** As `StackPlace.changedSettings`. */
  changedSettings(): readonly string[]
  /** Returns a new one-time link to the console; null if it isn't running. */
  consoleLink(): string | null
}

/** Null for a stack without Realtime. */
type RealtimeControl = Pick<Realtime, 'clients'> | null
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
  route('POST', '/reset',                  'service', ({ scripts }, request) => reset(scripts, request)),
  route('GET',  '/clock',                  'service', ({ clock }) => answerClock(clock)),
  route('POST', '/clock',                  'service', ({ clock }, request) => setClock(clock, request)),
  route('GET',  '/faults',                 'service', ({ faults }) => answerFaults(faults)),
  route('POST', '/faults',                 'service', ({ faults }, request) => setFaults(faults, request)),
  route('GET',  '/branches',               'service', ({ branches }) => answerBranchList(branches)),
  route('GET',  '/branches/difference',    'service', ({ branches }, request) => answerBranchDifference(branches, request)),
  route('POST', '/branches',               'service', ({ branches }, request) => changeBranches(branches, request)),
  route('POST', '/forks',                  'service', ({ branches }, request) => forkBackend(branches, request)),
  route('GET',  '/migrations',             'service', ({ scripts }) => answerMigrations(scripts)),
  route('POST', '/migrations',             'service', ({ scripts }) => migrate(scripts)),
  route('GET',  '/settings/changes',       'service', ({ changedSettings }) => answerChangedSettings(changedSettings)),
  route('GET',  '/functions',              'service', ({ functions }) => answerFunctions(functions)),
  route('GET',  '/functions/{name}/lines', 'service', ({ functions }, _, { name }) => answerFunctionLines(functions, name)),
  route('POST', '/functions/serve',        'service', ({ functions }, request) => serveFunctions(functions, request)),
  route('GET',  '/realtime/clients',       'service', ({ realtime }, request) => answerRealtimeClients(realtime, request)),
  route('POST', '/explain',                'service', ({ rights }, request) => answerExplain(rights, request)),
  route('POST', '/console',                'service', ({ consoleLink }) => answerConsoleLink(consoleLink())),
  route('GET',  '/policies',               'service', ({ rights }, request) => answerPolicies(rights, request)),
  route('GET',  '/policies/test',          'service', ({ rights }) => answerLeakTests(rights)),
  route('GET',  '/requests',               'service', ({ timeline }, request) => answerRequests(timeline, request)),
  route('GET',  '/requests/live',          'service', ({ timeline }, request) => answerLive(timeline, request)),
  route('GET',  '/requests/all',           'service', ({ timeline }) => answerAll(timeline)),
  route('GET',  '/requests/{id}',          'service', ({ timeline }, _, { id }) => Response.json(findRequest(timeline, id))),
  route('POST', '/requests/{id}/replay',   'service', ({ timeline, replaying }, request, { id }) => answerReplay(timeline, replaying, request, id)),
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

function answerChangedSettings(changedSettings: ControlDeps['changedSettings']): Response {
  try {
    return Response.json({ changed: changedSettings(), fault: null })
  } catch (error) {
    if (error instanceof ConfigError) return Response.json({ changed: [], fault: error.message })
    throw error
  }
}

/** The most clients per response. */
const MAX_CLIENTS = 200

function answerRealtimeClients(realtime: RealtimeControl, request: Request): Response {
  const search = new URL(request.url).searchParams.get('search') ?? ''
  return realtime
    ? Response.json(realtime.clients({ search, limit: MAX_CLIENTS }))
    : refuse(404, 'This backend has no Realtime: set enabled = true in [realtime] of supabase/config.toml')
}

const answerConsoleLink = (url: string | null): Response =>
  url === null
    ? refuse(404, 'This backend has no console: [studio] is turned off in supabase/config.toml')
    : Response.json({ url })

const ReplayOptions = z.strictObject({
  as: z.string().optional(),
  body: z.string().optional(),
  secrets: z.record(z.string(), z.string()).optional(),
})

async function answerReplay(
  timeline: Timeline | null,
  deps: ReplayDeps,
  request: Request,
  id?: string,
): Promise<Response> {
  const record = findRequest(timeline, id)
  const principal = timeline?.principalOf(record.id) ?? null
  return Response.json(await replay(deps, record, principal, await readJsonBody(request, ReplayOptions)))
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
