import { z } from 'zod'
import {
  ACTIONS,
  AccessQuestionError,
  type Answer,
  explain,
  explainRequest,
  findCaller,
  readMatrix,
  writeLeakTests,
} from '../access/index.ts'
import type { Db } from '../database/db.ts'
import type { ContentPart } from '../database/project/project-content.ts'
import type { Functions } from '../functions/index.ts'
import { type Identity, TokenError } from '../identity/identity.ts'
import type { AdjustableClock } from '../kernel/adjustable-clock.ts'
import { readBody } from '../kernel/request-body.ts'
import { createRouter } from '../kernel/router.ts'
import type { RequestHandler } from '../kernel/service.ts'
import { ServiceError } from '../kernel/service-error.ts'
import { splitUrl } from '../kernel/url.ts'
import type { Realtime } from '../realtime/index.ts'
import type { Rest } from '../rest/index.ts'
import { answerAll, answerLive, answerRequests, findRequest } from '../timeline/http.ts'
import { replay } from '../timeline/replay.ts'
import type { Timeline } from '../timeline/timeline.ts'
import { BranchError } from './branches/branches.ts'
import { BranchChange } from './branches/change.ts'
import type { BranchControl } from './branches/control.ts'

export type ControlDeps = {
  readonly identity: Identity
  readonly db: Db
  /** The schemas that the Data API exposes. */
  readonly schemas: readonly string[]
  /** Null when the stack has none. */
  readonly functions: Pick<Functions, 'serveWith' | 'known' | 'linesOf'> | null
  /** Null when the stack has none. */
  readonly realtime: Pick<Realtime, 'clients'> | null
  /** The time of the services. */
  readonly clock: AdjustableClock
  reset(part: ContentPart): Promise<void>
  /** Null when the stack keeps no data. */
  readonly branches: BranchControl | null
  /** Null when it is off. */
  readonly timeline: Timeline | null
  /** Null when the stack has no Data API. */
  readonly restTargetOf: Rest['targetOf'] | null
  /** A new one-time link to the console; null when it does not run. */
  consoleLink(): string | null
  /** The address of the API. */
  readonly url: string
  /** Of all services; read at each call, because this handler is one of them. */
  readonly handlers: ReadonlyMap<string, RequestHandler>
}

type Params = Readonly<Record<string, string>>
type Handler = (deps: ControlDeps, request: Request, params: Params) => Response | Promise<Response>

const PREFIX = '/undock/v1'
/** Bytes of a request's body; that of a replay holds another one. */
const BODY_LIMIT = 1024 * 1024

const router = createRouter<{ method: string; path: string; access: 'anyone' | 'secretKey'; handle: Handler }>([
  { method: '*', path: '/health', access: 'anyone', handle: () => Response.json({ status: 'ok' }) },
  { method: 'POST', path: '/reset', access: 'secretKey', handle: answerReset },
  { method: 'POST', path: '/clock', access: 'secretKey', handle: answerClock },
  {
    method: 'GET',
    path: '/branches',
    access: 'secretKey',
    handle: (deps) => withBranches(deps, async (branches) => Response.json(await branches.list())),
  },
  { method: 'GET', path: '/branches/difference', access: 'secretKey', handle: answerBranchDifference },
  { method: 'POST', path: '/branches', access: 'secretKey', handle: answerBranches },
  { method: 'GET', path: '/functions', access: 'secretKey', handle: answerFunctions },
  { method: 'GET', path: '/functions/{name}/lines', access: 'secretKey', handle: answerFunctionLines },
  { method: 'POST', path: '/functions/serve', access: 'secretKey', handle: answerServe },
  { method: 'GET', path: '/realtime/clients', access: 'secretKey', handle: answerRealtimeClients },
  { method: 'POST', path: '/explain', access: 'secretKey', handle: answerExplain },
  { method: 'POST', path: '/console', access: 'secretKey', handle: answerConsoleLink },
  { method: 'GET', path: '/policies', access: 'secretKey', handle: answerPolicies },
  { method: 'GET', path: '/policies/test', access: 'secretKey', handle: answerLeakTests },
  {
    method: 'GET',
    path: '/requests',
    access: 'secretKey',
    handle: ({ timeline }, request) => answerRequests(timeline, request),
  },
  {
    method: 'GET',
    path: '/requests/live',
    access: 'secretKey',
    handle: ({ timeline }, request) => answerLive(timeline, request),
  },
  {
    method: 'GET',
    path: '/requests/all',
    access: 'secretKey',
    handle: ({ timeline }) => answerAll(timeline),
  },
  {
    method: 'GET',
    path: '/requests/{id}',
    access: 'secretKey',
    handle: ({ timeline }, _, { id }) => Response.json(findRequest(timeline, id)),
  },
  { method: 'POST', path: '/requests/{id}/replay', access: 'secretKey', handle: answerReplay },
])

/** `/undock/v1`: what another process may ask of a running stack, with the project's secret key. */
export function createControl(deps: ControlDeps): RequestHandler {
  return async (request) => {
    const { pathname } = splitUrl(request.url)
    const match = router.find(request.method, pathname.slice(PREFIX.length).split('/').slice(1))
    const access = match.kind === 'found' ? match.route.access : 'secretKey'
    if (access === 'secretKey' && !(await hasSecretKey(request, deps.identity)))
      return refuse(403, 'Only the secret key of the project may do this')
    if (match.kind !== 'found') return refuse(404, `There is no ${request.method} ${pathname}`)
    try {
      return await match.route.handle(deps, request, match.params)
    } catch (error) {
      if (error instanceof ServiceError) return refuse(error.status, error.message)
      throw error
    }
  }
}

const Part = z.strictObject({
  until: z.string().exactOptional(),
  // The request comes from a process, but files outside of `supabase/` are none of its business.
  seed: z.union([z.literal(false), z.array(z.string().regex(/^(?![/\\]|[A-Za-z]:)(?!.*\.\.)/))]).exactOptional(),
})

async function answerReset({ reset }: ControlDeps, request: Request): Promise<Response> {
  const part = await bodyOf(request, Part)
  try {
    await reset(part)
    return Response.json({ status: 'reset' })
  } catch (error) {
    return refuse(422, error instanceof Error ? error.message : String(error))
  }
}

const Advance = z.strictObject({ by: z.string().exactOptional() })

/** Sets the clock forward by a duration, or back to the machine's time. */
async function answerClock({ clock }: ControlDeps, request: Request): Promise<Response> {
  const { by } = await bodyOf(request, Advance)
  try {
    if (by === undefined) clock.restore()
    else clock.advance(by)
  } catch (error) {
    if (error instanceof RangeError) return refuse(422, error.message)
    throw error
  }
  return Response.json({ now: clock.now().toISOString() })
}

/** What another branch has beyond the current one: its structure as SQL, and how many rows its tables have. */
function answerBranchDifference(deps: ControlDeps, request: Request): Promise<Response> {
  const other = new URL(request.url).searchParams.get('branch') ?? ''
  return withBranches(deps, async (branches) => Response.json(await branches.compare(other)))
}

/** Changes branches and snapshots. For a change that needs a new start the answer does not end: the stack restarts when the client
 *  has read that it will. */
function answerBranches(deps: ControlDeps, request: Request): Promise<Response> {
  return withBranches(deps, async (branches) => {
    const { restart } = await branches.change(await bodyOf(request, BranchChange))
    if (!restart) return Response.json({ status: 'done' })
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode('{"status":"restarting"}\n')),
      cancel: restart,
    })
    return new Response(body, { status: 202, headers: { 'content-type': 'application/json' } })
  })
}

async function withBranches(
  { branches }: ControlDeps,
  answer: (branches: BranchControl) => Promise<Response>,
): Promise<Response> {
  if (!branches) return refuse(409, 'This backend keeps no data, so it has no branches and snapshots')
  try {
    return await answer(branches)
  } catch (error) {
    if (error instanceof BranchError) return refuse(409, error.message)
    throw error
  }
}

/** The functions, each with the state of its worker and why it cannot boot. */
function answerFunctions({ functions }: ControlDeps): Response {
  return Response.json(functions?.known() ?? [])
}

/** What a function wrote last. */
function answerFunctionLines({ functions }: ControlDeps, _: Request, { name = '' }: Params): Response {
  const lines = functions?.linesOf(name)
  return lines ? Response.json(lines) : refuse(404, `There is no function ${name}`)
}

/** Clients of Realtime that one answer tells of. */
const MOST_CLIENTS = 200

/** Who is connected to Realtime, and what each has joined; `?search=` finds roles, users and topics. */
function answerRealtimeClients({ realtime }: ControlDeps, request: Request): Response {
  const search = new URL(request.url).searchParams.get('search') ?? ''
  return realtime
    ? Response.json(realtime.clients({ search, limit: MOST_CLIENTS }))
    : refuse(404, 'This backend has no Realtime: set enabled = true in [realtime] of supabase/config.toml')
}

const Settings = z.strictObject({ envFile: z.string().exactOptional(), noVerifyJwt: z.boolean().exactOptional() })

/** Serves the functions with other settings for as long as the client reads the answer, which never ends by itself. */
async function answerServe({ functions }: ControlDeps, request: Request): Promise<Response> {
  if (!functions) return refuse(404, 'This backend has no functions')
  const end = await functions.serveWith(await bodyOf(request, Settings))
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode('serving\n')),
    cancel: end,
  })
  return new Response(body, { headers: { 'content-type': 'text/plain' } })
}

const Row = z.record(z.string(), z.unknown())

/** About a request that happened, or about anybody. */
const Question = z.union([
  z.strictObject({ request: z.string(), row: Row.optional() }),
  z.strictObject({
    as: z.string(),
    claims: z.record(z.string(), z.unknown()).optional(),
    action: z.enum(ACTIONS),
    target: z.string(),
    where: z.string().optional(),
    row: Row.optional(),
    returning: z.boolean().optional(),
  }),
])

/** Explains whether a caller may do something, and why. */
async function answerExplain(deps: ControlDeps, request: Request): Promise<Response> {
  const question = await bodyOf(request, Question)
  try {
    return Response.json(await ('request' in question ? explainKept(deps, question) : explain(deps.db, question)))
  } catch (error) {
    if (error instanceof AccessQuestionError) return refuse(422, error.message)
    throw error
  }
}

function explainKept({ db, timeline, restTargetOf }: ControlDeps, { request, row }: KeptQuestion): Promise<Answer> {
  const kept = findRequest(timeline, request)
  const recorded = { ...kept, caller: timeline?.principalOf(kept.id) ?? null }
  return explainRequest(db, recorded, { findTarget: restTargetOf, row })
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

/** Sends a request that happened again, and compares the answers. */
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
  try {
    return Response.json(await replay(sending, kept, principal, await bodyOf(request, ReplayOptions)))
  } catch (error) {
    if (error instanceof AccessQuestionError) return refuse(422, error.message)
    throw error
  }
}

/** What each role may do with each table and view of the exposed schemas, or of those that `?schema=` names. */
async function answerPolicies({ db, schemas }: ControlDeps, request: Request): Promise<Response> {
  const asked = new URL(request.url).searchParams.getAll('schema')
  return Response.json(await readMatrix(db, asked.length > 0 ? asked : schemas))
}

/** A pgTAP file of what strangers cannot do. */
async function answerLeakTests({ db, schemas }: ControlDeps): Promise<Response> {
  return new Response(await writeLeakTests(db, await readMatrix(db, schemas)))
}

/** A body of JSON; no body is an empty object.
 *  @throws {ServiceError} 400 */
async function bodyOf<T>(request: Request, schema: z.ZodType<T>): Promise<T> {
  const text = (await readBody(request, BODY_LIMIT)).toString()
  try {
    return schema.parse(text === '' ? {} : JSON.parse(text))
  } catch (error) {
    const reason = error instanceof z.ZodError ? z.prettifyError(error) : 'it is not JSON'
    throw new ServiceError('invalid_body', 400, `The request body cannot be used: ${reason}`)
  }
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
