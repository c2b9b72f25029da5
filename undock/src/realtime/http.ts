import { z } from 'zod'
import { type Identity, TokenError } from '../identity/identity.ts'
import type { Bus } from '../kernel/bus.ts'
import { isJsonObject, JsonTooComplexError, parseJson } from '../kernel/json.ts'
import { isClientAbort } from '../kernel/node-http.ts'
import { BodyTooLargeError, readBody } from '../kernel/request-body.ts'
import { createRouter, decodeSegments, type RoutePattern, WEBSOCKET } from '../kernel/router.ts'
import type { Clock, Log, Principal, RequestHandler } from '../kernel/service.ts'
import type { Tracer } from '../kernel/tracer.ts'
import { splitUrl } from '../kernel/url.ts'
import { type Authorization, UNCHECKED } from './authorization.ts'
import { type BroadcastReceiver, sendBroadcast, withholdsUnreadable } from './delivery.ts'
import { ChannelError } from './errors.ts'
import type { Limits, RateWindow } from './limits.ts'
import type { LongPoll } from './long-poll.ts'
import type { PublishedMessage, PubSub } from './pub-sub.ts'
import { publishBroadcast } from './remote-broadcasts.ts'

export type HttpDeps = {
  readonly identity: Identity
  readonly authorization: Authorization
  readonly pubSub: PubSub<BroadcastReceiver>
  readonly bus: Bus
  readonly limits: Limits
  readonly events: RateWindow
  readonly tracer: Tracer
  readonly clock: Clock
  readonly log: Log
  readonly longPoll: LongPoll
}

type Call = {
  readonly request: Request
  readonly params: Readonly<Record<string, string>>
  readonly principal: Principal
  readonly deps: HttpDeps
}

const json = (status: number, body: unknown) => Response.json(body, { status })
const message = (status: number, text: string) => json(status, { message: text })
const accepted = () => new Response('', { status: 202 })

const PREFIX = '/realtime/v1'

type Route = RoutePattern<'anyone' | 'key' | 'socket'> & {
  /** Null for a WebSocket handshake. */
  readonly handle: ((call: Call) => Response | Promise<Response>) | null
}

/** Connections are authenticated by their URL (handshake.ts), HTTP broadcasts by their headers. */
export const realtimeRoutes: readonly Route[] = [
  { method: '*', path: '/api/ping', access: 'anyone', handle: () => message(200, 'Success') },
  { method: 'POST', path: '/api/broadcast', access: 'key', handle: broadcastBatch },
  { method: 'POST', path: '/api/broadcast/{topic}/events/{event}', access: 'key', handle: broadcastOne },
  { method: '*', path: '/longpoll', access: 'socket', handle: ({ request, deps }) => deps.longPoll.handle(request) },
  { method: WEBSOCKET, path: '/websocket', access: 'socket', handle: null },
]

const router = createRouter(realtimeRoutes)

/** Finds the route. Phoenix ignores empty segments.
 *  @returns null for malformed percent-encoding. */
export function findRoute(method: string, pathname: string) {
  const segments = pathname.startsWith(`${PREFIX}/`) ? decodeSegments(pathname.slice(PREFIX.length)) : []
  return segments && router.find(method, segments.filter(Boolean))
}

/** Serves long polling and broadcasts over HTTP (BroadcastController, BroadcastSingleController). */
export function createHttp(deps: HttpDeps): RequestHandler {
  return async (request, { requestId }) => {
    try {
      const match = findRoute(request.method, splitUrl(request.url).pathname)
      if (match === null) return message(400, 'Bad Request')
      if (match.kind === 'wrongMethod') return message(405, 'Method Not Allowed')
      if (match.kind === 'notFound' || match.route.handle === null) return message(404, 'Not Found')
      const { access, handle } = match.route
      const principal = access === 'key' ? await admit(request, deps) : NOBODY
      return await handle({ request, params: match.params, principal, deps })
    } catch (error) {
      if (error instanceof TokenError) return message(401, 'Unauthorized')
      if (error instanceof BodyTooLargeError || error instanceof JsonTooComplexError)
        return message(413, 'Request Entity Too Large')
      if (error instanceof SyntaxError) return message(400, 'Bad Request')
      if (!isClientAbort(error)) deps.log.error('A broadcast failed', error, { requestId })
      return message(500, 'Internal Server Error')
    }
  }
}

const NOBODY: Principal = { role: 'anon', claims: { role: 'anon' } }

async function admit(request: Request, { identity }: HttpDeps): Promise<Principal> {
  if (identity.credential(request) === null) throw new TokenError('malformed', 'There is no key')
  return identity.authenticate(request)
}

/** The largest body upstream's parsers accept, in bytes (Plug.Parsers). */
const MAX_BODY = 8_000_000

const Batch = z.object({ messages: z.array(z.unknown()) })
const Message = z.object({
  id: z.string().nullish(),
  topic: z.string().min(1),
  event: z.string().min(1),
  payload: z.record(z.string(), z.unknown()),
  private: z.union([z.boolean(), z.stringbool()]).nullish(),
})
type Message = z.infer<typeof Message>

async function broadcastBatch(call: Call): Promise<Response> {
  const { request, deps } = call
  const batch = Batch.safeParse(parseJson((await readBody(request, MAX_BODY)).toString()))
  if (!batch.success) return json(422, { errors: { messages: ["can't be blank"] } })
  if (batch.data.messages.length > deps.limits.eventsPerSecond) return message(429, TOO_MANY)
  const parsed = batch.data.messages.map((one) => Message.safeParse(one))
  const faults = parsed.map((one) => faultsOf(one, deps.limits))
  if (faults.some((fault) => Object.keys(fault).length > 0)) return json(422, { errors: { messages: faults } })
  const messages = parsed.flatMap((one) => (one.success ? [one.data] : []))
  if (!deps.events.admit(performance.now(), messages.length)) return message(429, TOO_MANY)
  const mayWrite = new Map<string, boolean>()
  for (const one of messages) {
    if (!one.private) continue
    if (!mayWrite.has(one.topic)) mayWrite.set(one.topic, await canWrite(one.topic, call))
  }
  for (const one of messages)
    if (!one.private || mayWrite.get(one.topic))
      publish(deps, { topic: one.topic, isPrivate: one.private ?? false, published: textOf(one) })
  return accepted()
}

const TOO_MANY = 'Too many messages to broadcast, please reduce the batch size'

const textOf = ({ payload, event, id }: Message): PublishedMessage => ({
  kind: 'text',
  event: 'broadcast',
  payload: JSON.stringify({ payload, event, type: 'broadcast', ...(id ? { meta: { id } } : {}) }),
})

/** Validation errors by field, as the batch endpoint reports them. */
function faultsOf(parsed: z.ZodSafeParseResult<Message>, limits: Limits): Record<string, string[]> {
  if (!parsed.success)
    return Object.fromEntries(
      parsed.error.issues.map(({ path, code, input }) => [
        String(path[0] ?? 'message'),
        [code === 'invalid_type' && input !== undefined ? 'is invalid' : "can't be blank"],
      ]),
    )
  if (JSON.stringify(parsed.data.payload).length <= limits.payloadBytes) return {}
  return { payload: ['Payload size exceeds tenant limit'] }
}

async function broadcastOne(call: Call): Promise<Response> {
  const { request, params, deps } = call
  const { topic = '', event = '' } = params
  const type = (request.headers.get('content-type') ?? 'application/json').split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/json' && type !== 'application/octet-stream')
    return json(415, { error: 'Unsupported Media Type. Use application/json or application/octet-stream' })
  const body = await readBody(request, MAX_BODY)
  if (body.length > deps.limits.payloadBytes)
    return json(422, { errors: { payload: ['Payload size exceeds tenant limit'] } })
  const isPrivate = new URL(request.url).searchParams.get('private') === 'true'
  if (!deps.events.admit(performance.now())) return message(429, 'You have exceeded your rate limit')
  const isBinary = type === 'application/octet-stream'
  const payload = isBinary ? body : jsonObject(body)
  if (isPrivate) {
    try {
      if (!(await mayWriteTo(topic, call))) return message(403, 'Unauthorized')
    } catch (error) {
      if (!(error instanceof ChannelError)) throw error
      return message(422, error.code === 'MissingPartition' ? 'Missing messages partition' : 'RLS policy error')
    }
  }
  publish(deps, {
    topic,
    isPrivate,
    published: {
      kind: 'broadcast',
      broadcast: { event, encoding: isBinary ? 'binary' : 'json', payload },
    },
  })
  return accepted()
}

/** Upstream's parser puts non-objects under `_json`.
 *  @throws {SyntaxError} */
function jsonObject(body: Buffer): Buffer {
  if (body.length === 0) return Buffer.from('{}')
  const value = parseJson(body.toString())
  return isJsonObject(value) ? body : Buffer.from(JSON.stringify({ _json: value }))
}

async function mayWriteTo(topic: string, { request, principal, deps }: Call): Promise<boolean> {
  const caller = { claims: principal.claims, headers: Object.fromEntries(request.headers) }
  const policies = await deps.authorization.ask('write', ['broadcast'], { topic, caller, policies: UNCHECKED })
  return policies.broadcast.write === true
}

/** In a batch, a failing policy counts as a refusal. */
async function canWrite(topic: string, call: Call): Promise<boolean> {
  try {
    return await mayWriteTo(topic, call)
  } catch (error) {
    if (error instanceof ChannelError) return false
    throw error
  }
}

function publish(
  deps: HttpDeps,
  {
    topic,
    isPrivate,
    published,
  }: { readonly topic: string; readonly isPrivate: boolean; readonly published: PublishedMessage },
): void {
  const broadcast = { topic, isPrivate, message: published }
  sendBroadcast(deps, { ...broadcast, withholds: withholdsUnreadable })
  publishBroadcast(deps.bus, broadcast)
}
