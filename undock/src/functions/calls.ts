import { type Identity, TokenError } from '../identity/identity.ts'
import type { RequestContext } from '../kernel/service.ts'
import { traceContextOf, traceparentFor } from '../kernel/tracer.ts'
import { unauthorized } from './relay-error.ts'

export const PREFIX = '/functions/v1'

/** A function sees `/functions/v1/NAME/rest?query` as `/NAME/rest?query`, like hosted ones. */
export const ownPath = ({ pathname, search }: URL): string => pathname.slice(PREFIX.length) + search

/** Returns the refusal of a request without a valid token, if the function requires one; else null. Like upstream, any
 *  token of the project counts, including the one its publishable key maps to: `verify_jwt` requires a key, not a
 *  user. */
export async function tokenRefusal(
  { method, headers }: Pick<Request, 'method' | 'headers'>,
  identity: Identity,
): Promise<Response | null> {
  if (method === 'OPTIONS') return null
  const authorization = authorizationOf(headers, identity)
  if (authorization === null) return unauthorized('Error: Missing authorization header')
  const [scheme, token = ''] = authorization.split(' ')
  if (scheme !== 'Bearer') return unauthorized("Error: Auth header is not 'Bearer {token}'")
  try {
    await identity.verify(token)
    return null
  } catch (error) {
    if (error instanceof TokenError) return unauthorized('Invalid JWT')
    throw error
  }
}

/** Returns the headers a function receives. */
export function forwardedHeaders(
  request: Request,
  url: URL,
  { address, requestId }: RequestContext,
  identity: Identity,
): Headers {
  const headers = new Headers(request.headers)
  headers.set('host', request.headers.get('host') ?? url.host)
  headers.set('x-forwarded-for', address)
  headers.set('x-forwarded-host', url.hostname)
  headers.set('x-forwarded-port', url.port || (url.protocol === 'https:' ? '443' : '80'))
  headers.set('x-forwarded-proto', url.protocol.slice(0, -1))
  headers.set('x-request-id', requestId)
  headers.set('traceparent', traceparentFor(traceContextOf(request.headers, requestId), requestId))
  const authorization = authorizationOf(request.headers, identity)
  if (authorization === null) headers.delete('authorization')
  else headers.set('authorization', authorization)
  return headers
}

/** The `Authorization` header a function receives: the caller's own token, else the token an opaque `apikey` stands
 *  for, else a copy of `apikey`. Same as the gateway of `supabase start`.
 *  @returns null for no header
 *  @see supabase/cli internal/start/start.go (BearerToken) */
function authorizationOf(headers: Headers, { keys }: Identity): string | null {
  const authorization = headers.get('authorization')
  // Clients repeat their API key in `Authorization`, but opaque keys are only valid in `apikey`.
  if (authorization && !authorization.startsWith('Bearer sb_')) return authorization
  const key = headers.get('apikey')
  if (key === keys.secret) return `Bearer ${keys.serviceRole}`
  if (key === keys.publishable) return `Bearer ${keys.anon}`
  return key || null
}

/** Aborts a call when its client disconnects or its response is late.
 *  @param limit Milliseconds. @param late Creates the timeout's error. */
export function watchCall(request: Request, limit: number, late: () => Error) {
  const abort = new AbortController()
  const timer = setTimeout(() => abort.abort(late()), limit)
  const gone = () => abort.abort(request.signal.reason)
  request.signal.addEventListener('abort', gone)
  return {
    abort,
    began: () => clearTimeout(timer),
    end() {
      clearTimeout(timer)
      request.signal.removeEventListener('abort', gone)
    },
  }
}

/** Calls `done` once the response is sent or the client has disconnected. */
export function watchBody(response: Response, done: () => void): Response {
  if (response.body === null) {
    done()
    return response
  }
  const reader = response.body.getReader()
  const body = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        try {
          const { done: ended, value } = await reader.read()
          if (value) controller.enqueue(value)
          if (!ended) return
          controller.close()
          done()
        } catch (error) {
          done()
          controller.error(error)
        }
      },
      cancel: async (reason) => {
        done()
        await reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
  return new Response(body, response)
}
