import { randomUUID } from 'node:crypto'
import type { Identity } from '../identity/identity.ts'
import type { RequestHandler } from '../kernel/service.ts'
import { UserError } from '../kernel/service-error.ts'

type ApiRequest = {
  readonly method?: 'GET' | 'POST'
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly body?: unknown
  /** Instead of the secret key. */
  readonly apikey?: string
}

/** Calls one of the stack's routes with the secret key, without a socket. @param path Such as `/undock/v1/policies`. @returns the
 *  response's JSON, or its text. @throws {UserError} with the service's message if it refuses. */
export type StackApi = (path: string, request?: ApiRequest) => Promise<unknown>

export type StackApiOptions = {
  readonly identity: Identity
  /** The API's public URL. */
  readonly url: string
  /** Returns a path's handler; null if the stack has no such service. */
  handlerOf(path: string): RequestHandler | null
}

export function createStackApi({ identity, url, handlerOf }: StackApiOptions): StackApi {
  return async (path, { method = 'GET', query = {}, body, apikey = identity.keys.secret } = {}) => {
    const handle = handlerOf(path)
    if (!handle) throw new UserError(`This needs the service at ${path}, which is turned off for this backend.`)
    const entries = Object.entries(query).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)]],
    )
    const request = new Request(`${url}${path}${entries.length > 0 ? `?${new URLSearchParams(entries)}` : ''}`, {
      method,
      headers: { apikey, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const response = await handle(request, { requestId: randomUUID(), address: '127.0.0.1' })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json') === true
    const answer: unknown = isJson && text !== '' ? JSON.parse(text) : text
    if (!response.ok) throw new UserError(messageOf(answer) ?? `${method} ${path} was answered with ${response.status}`)
    return answer
  }
}

/** The services' message fields have different names. */
function messageOf(answer: unknown): string | null {
  if (typeof answer !== 'object' || answer === null) return null
  const { message, msg, error_description, error } = answer as Record<string, unknown>
  return [message, msg, error_description, error].find((one) => typeof one === 'string') ?? null
}
