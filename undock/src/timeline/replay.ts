import { randomUUID } from 'node:crypto'
import type { Identity } from '../identity/identity.ts'
import { readBytes } from '../kernel/request-body.ts'
import type { Clock, Principal, RequestHandler } from '../kernel/service.ts'
import { ServiceError } from '../kernel/service-error.ts'
import { BODIES_OFF, type BodyDifference, differencesOf, type RecordedBody, recordBody } from './bodies.ts'
import type { RecordedCaller, RequestRecord } from './records.ts'
import { HIDDEN } from './redaction.ts'

export type ReplayDeps = {
  readonly identity: Identity
  readonly clock: Clock
  /** The API's URL. */
  readonly url: string
  /** Whether the timeline keeps bodies. */
  readonly keepsBodies: boolean
  handlerOf(service: string): RequestHandler | undefined
  /** A role, or a user by id, address or phone number. */
  findCaller(name: string): Promise<Principal>
}

/** @property as The caller; by default the original one.
 *  @property body Replaces the recorded body.
 *  @property secrets The recorded body's hidden values, by path. */
export type ReplayOptions = {
  readonly as?: string | undefined
  readonly body?: string | undefined
  readonly secrets?: Readonly<Record<string, string>> | undefined
}

type ReplayedAnswer = {
  readonly request: string
  readonly caller: RecordedCaller | null
  readonly status: number
  readonly body: RecordedBody | null
}

/** @property differences Between the two bodies; null if one is unknown. */
export type Replay = {
  readonly before: ReplayedAnswer
  readonly after: ReplayedAnswer
  readonly differences: readonly BodyDifference[] | null
}

/** Repeats a past request with a new token for the same or another caller, and compares the responses. @param principal The original caller
 *  with all claims; null if unknown. @throws {ServiceError} 422 if required data wasn't recorded. */
export async function replay(
  deps: ReplayDeps,
  record: RequestRecord,
  principal: Principal | null,
  options: ReplayOptions,
): Promise<Replay> {
  const handle = deps.handlerOf(record.service)
  if (!handle) throw refusal(`the service "${record.service}" is not running`)
  refuseWhatCannotBeSent(record)
  if (options.as === undefined && principal === null && [401, 403].includes(record.status))
    throw refusal('its key or token was refused. Say with --as who sends it')
  const caller = options.as === undefined ? principal : await deps.findCaller(options.as)
  const body = options.body ?? bodyToSend(record, options.secrets ?? {})
  const request = new Request(`${deps.url}${record.path}`, {
    method: record.method,
    headers: { ...sentHeaders(record), ...(await credentialsOf(deps, caller)) },
    body: body ?? null,
  })
  const requestId = randomUUID()
  const response = await handle(request, { requestId, address: '127.0.0.1' })
  const after = {
    request: requestId,
    caller: caller && { role: caller.role, claims: { sub: caller.claims.sub } },
    status: response.status,
    body: await readAnswer(response, record.service),
  }
  const keptAnswer = deps.keepsBodies ? record.responseBody : { omitted: BODIES_OFF }
  const before = { request: record.id, caller: record.caller, status: record.status, body: keptAnswer }
  return { before, after, differences: differencesOf(before.body, after.body) }
}

const refusal = (reason: string): ServiceError =>
  new ServiceError('cannot_be_replayed', 422, `The request cannot be sent again: ${reason}.`)

/** @throws {ServiceError} 422 */
export function refuseWhatCannotBeSent({ path, method, status, service }: RequestRecord): void {
  if (status === 101 || method === 'JOIN' || method === 'DELIVER')
    throw refusal('it is a part of a WebSocket, not a request by itself')
  if (path.includes(HIDDEN)) throw refusal('its address held a token, key or signature, which is not kept')
  if (service === 'storage' && path.startsWith('/storage/v1/s3'))
    throw refusal('requests of the S3 protocol are signed with keys that are not kept')
}

/** The recorded headers, without those that the new request sets itself. */
const sentHeaders = ({ headers }: RequestRecord): Record<string, string> => {
  const { 'content-length': _, origin: __, ...sent } = headers
  return sent
}

/** A new token's lifetime in seconds. */
const VALIDITY = 3600

async function credentialsOf({ identity, clock }: ReplayDeps, caller: Principal | null): Promise<object> {
  const { publishable, secret } = identity.keys
  if (caller === null) return {}
  const { role, claims } = caller
  if (claims.sub === undefined && role === 'anon') return { apikey: publishable }
  if (claims.sub === undefined && role === 'service_role') return { apikey: secret }
  const now = Math.floor(clock.now().getTime() / 1000)
  const token = await identity.sign({
    ...claims,
    role,
    iss: identity.issuer,
    iat: now,
    exp: now + VALIDITY,
  })
  return { apikey: publishable, authorization: `Bearer ${token}` }
}

/** @throws {ServiceError} if it wasn't recorded, or one of its secrets is missing. */
function bodyToSend(record: RequestRecord, secrets: Readonly<Record<string, string>>): string | null {
  const body = keptBody(record, '. Give it with --body FILE')
  if (body === null) return null
  if (body.hidden.length === 0) return body.text
  const missing = body.hidden.filter((path) => !Object.hasOwn(secrets, path))
  if (missing.length > 0)
    throw refusal(
      `its body held what is never kept: ${missing.join(', ')}. ` +
        `Give ${missing.map((path) => `--secret ${path}=VALUE`).join(' ')}, or the whole body with --body FILE`,
    )
  return fillIn(body.text, record.headers['content-type'] ?? '', secrets)
}

/** Returns the body for a test, with a text for each secret. @throws {ServiceError} if it wasn't recorded. */
export function bodyOfTest(record: RequestRecord, secret: string): string | null {
  const body = keptBody(record)
  if (body === null) return null
  return fillIn(
    body.text,
    record.headers['content-type'] ?? '',
    Object.fromEntries(body.hidden.map((path) => [path, secret])),
  )
}

/** @param advice What to do about an unrecorded body. @throws {ServiceError} */
function keptBody(
  { headers, requestBody }: RequestRecord,
  advice = '',
): Extract<RecordedBody, { text: string }> | null {
  if (requestBody === null) {
    if ((headers['content-length'] ?? '0') === '0') return null
    throw refusal(BODIES_OFF)
  }
  if ('text' in requestBody) return requestBody
  throw refusal(`its body was not kept, because ${requestBody.omitted}${advice}`)
}

function fillIn(text: string, type: string, secrets: Readonly<Record<string, string>>): string {
  if (type.startsWith('application/x-www-form-urlencoded')) {
    const fields = new URLSearchParams(text)
    for (const [name, value] of Object.entries(secrets)) fields.set(name, value)
    return fields.toString()
  }
  if (Object.keys(secrets).length === 0) return text
  const value: unknown = JSON.parse(text)
  return JSON.stringify(Object.entries(secrets).reduce((whole, [path, one]) => put(whole, path, one), value))
}

/** Returns a copy with the value at a path replaced; unchanged if the path doesn't exist. */
function put(value: unknown, path: string, replacement: string): unknown {
  if (path === '') return replacement
  if (typeof value !== 'object' || value === null) return value
  // Names can contain dots.
  const name = Object.keys(value).find((one) => path === one || path.startsWith(`${one}.`))
  if (name === undefined) return value
  const inner = put((value as Record<string, unknown>)[name], path.slice(name.length + 1), replacement)
  return Array.isArray(value) ? value.with(Number(name), inner) : { ...value, [name]: inner }
}

/** Limits for a response, in bytes and milliseconds: a function's events may never end. */
const ANSWER_SIZE = 1024 * 1024
const ANSWER_TIME = 10_000

async function readAnswer(response: Response, service: string): Promise<RecordedBody | null> {
  if (response.body === null) return null
  const signal = AbortSignal.timeout(ANSWER_TIME)
  try {
    const bytes = await readBytes(response.body.pipeThrough(new TransformStream(), { signal }), ANSWER_SIZE)
    if (bytes === null) return { omitted: 'it is longer than 1 MiB' }
    if (bytes.length === 0) return null
    return recordBody({ service, type: response.headers.get('content-type') }, bytes.toString())
  } catch (error) {
    if (signal.aborted) return { omitted: `it did not end within ${ANSWER_TIME / 1000} seconds` }
    throw error
  }
}
