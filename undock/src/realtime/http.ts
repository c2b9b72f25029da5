import { z } from 'zod'
import { type Identity, TokenError } from '../identity/identity.ts'
import { isSenderGone } from '../kernel/arrival.ts'
import type { Clock, Log, Principal, Service } from '../kernel/service.ts'
import { type Authorization, UNASKED } from './authorization.ts'
import type { Channel } from './channel.ts'
import { ChannelError } from './errors.ts'
import { type Hub, type Published, topicKey } from './hub.ts'
import type { Limits, RateWindow } from './limits.ts'

export type HttpDeps = {
  readonly identity: Identity
  readonly authorization: Authorization
  readonly hub: Hub<Channel>
  readonly limits: Limits
  readonly events: RateWindow
  readonly clock: Clock
  readonly log: Log
}

type Call = { readonly request: Request; readonly principal: Principal; readonly deps: HttpDeps }

const json = (status: number, body: unknown) => Response.json(body, { status })
const message = (status: number, text: string) => json(status, { message: text })
const accepted = () => new Response('', { status: 202 })

/** Realtime's HTTP side: broadcasts without a socket (BroadcastController, BroadcastSingleController). */
export function createHttp(deps: HttpDeps): Service {
  return async (request, { requestId }) => {
    try {
      const { pathname } = new URL(request.url)
      const route = /^\/realtime\/v1\/api\/(?:ping|broadcast(?:\/([^/]+)\/events\/([^/]+))?)$/.exec(pathname)
      if (!route) return message(404, 'Not Found')
      if (pathname.endsWith('/api/ping')) return message(200, 'Success')
      if (request.method !== 'POST') return message(405, 'Method Not Allowed')
      if (deps.identity.credential(request) === null) return message(401, 'Unauthorized')
      const principal = await deps.identity.authenticate(request)
      const [, topic, event] = route
      const call = { request, principal, deps }
      if (topic === undefined || event === undefined) return await broadcastBatch(call)
      return await broadcastOne(call, decodeURIComponent(topic), decodeURIComponent(event))
    } catch (error) {
      if (error instanceof TokenError) return message(401, 'Unauthorized')
      if (error instanceof URIError || error instanceof SyntaxError) return message(400, 'Bad Request')
      if (!isSenderGone(error)) deps.log.error('A broadcast failed', error, { requestId })
      return message(500, 'Internal Server Error')
    }
  }
}

const Batch = z.object({ messages: z.array(z.unknown()) })
const Message = z.object({
  id: z.string().nullish(),
  topic: z.string().min(1),
  event: z.string().min(1),
  payload: z.record(z.string(), z.unknown()),
  private: z.union([z.boolean(), z.stringbool()]).nullish(),
})
type Message = z.infer<typeof Message>

async function broadcastBatch({ request, principal, deps }: Call): Promise<Response> {
  const batch = Batch.safeParse(await request.json())
  if (!batch.success) return json(422, { errors: { messages: ["can't be blank"] } })
  const parsed = batch.data.messages.map((one) => Message.safeParse(one))
  const faults = parsed.map((one) => faultsOf(one, deps.limits))
  if (faults.some((fault) => Object.keys(fault).length > 0)) return json(422, { errors: { messages: faults } })
  const messages = parsed.flatMap((one) => (one.success ? [one.data] : []))
  if (!deps.events.admit(performance.now(), messages.length))
    return message(429, 'Too many messages to broadcast, please reduce the batch size')
  const mayWrite = new Map<string, boolean>()
  for (const one of messages) {
    if (!one.private) continue
    if (!mayWrite.has(one.topic)) mayWrite.set(one.topic, await canWrite(one.topic, { request, principal, deps }))
  }
  for (const one of messages)
    if (!one.private || mayWrite.get(one.topic)) publish(deps, one.topic, one.private ?? false, textOf(one))
  return accepted()
}

const textOf = ({ payload, event, id }: Message): Published => ({
  kind: 'text',
  event: 'broadcast',
  payload: JSON.stringify({ payload, event, type: 'broadcast', ...(id ? { meta: { id } } : {}) }),
})

/** What is wrong with each field, as the batch's caller reads it. */
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

async function broadcastOne({ request, principal, deps }: Call, topic: string, event: string): Promise<Response> {
  const type = (request.headers.get('content-type') ?? 'application/json').split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/json' && type !== 'application/octet-stream')
    return json(415, { error: 'Unsupported Media Type. Use application/json or application/octet-stream' })
  const body = Buffer.from(await request.arrayBuffer())
  if (body.length > deps.limits.payloadBytes)
    return json(422, { errors: { payload: ['Payload size exceeds tenant limit'] } })
  const isPrivate = new URL(request.url).searchParams.get('private') === 'true'
  if (!deps.events.admit(performance.now())) return message(429, 'You have exceeded your rate limit')
  const isBinary = type === 'application/octet-stream'
  const payload = isBinary ? body : jsonObject(body)
  if (isPrivate) {
    try {
      if (!(await mayWriteTo(topic, { request, principal, deps }))) return message(403, 'Unauthorized')
    } catch (error) {
      if (!(error instanceof ChannelError)) throw error
      return message(422, error.code === 'MissingPartition' ? 'Missing messages partition' : 'RLS policy error')
    }
  }
  publish(deps, topic, isPrivate, {
    kind: 'broadcast',
    broadcast: { event, encoding: isBinary ? 'binary' : 'json', payload },
  })
  return accepted()
}

/** Upstream's parser puts what is not an object under `_json`.
 *  @throws {SyntaxError} */
function jsonObject(body: Buffer): Buffer {
  if (body.length === 0) return Buffer.from('{}')
  const value: unknown = JSON.parse(body.toString())
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject ? body : Buffer.from(JSON.stringify({ _json: value }))
}

async function mayWriteTo(topic: string, { request, principal, deps }: Call): Promise<boolean> {
  const caller = { claims: principal.claims, headers: Object.fromEntries(request.headers) }
  const policies = await deps.authorization.ask('write', ['broadcast'], topic, caller, UNASKED)
  return policies.broadcast.write === true
}

/** In a batch a failing policy is a refusal like any other. */
async function canWrite(topic: string, call: Call): Promise<boolean> {
  try {
    return await mayWriteTo(topic, call)
  } catch (error) {
    if (error instanceof ChannelError) return false
    throw error
  }
}

function publish({ hub }: HttpDeps, topic: string, isPrivate: boolean, published: Published): void {
  hub.publish(topicKey(topic, isPrivate), published, ({ policies }) => policies.broadcast.read === true)
}
