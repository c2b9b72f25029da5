import { z } from 'zod'
import type { RequestHandler } from '../kernel/service.ts'
import { ServiceError } from '../kernel/service-error.ts'
import { setKey } from './caller-key.ts'
import type { ConsoleOptions } from './options.ts'
import { failStatement } from './run-statements.ts'

/** Headers that belong to the connection with the console, not to the service's request. */
const OWN_HEADERS = ['host', 'cookie', 'origin', 'referer', 'connection', 'authorization', 'apikey']

/** Calls one of the stack's services with the secret key or, with the header `x-console-as`, as a role or user. With
 *  `x-console-snapshot`, keeps the data first. */
export async function callService(
  { apiUrl, handlerOf, keepForUndo, ...callerDeps }: ConsoleOptions,
  request: Request,
  address: string,
): Promise<Response> {
  const { pathname, search } = new URL(request.url)
  const path = pathname.slice('/api/services'.length)
  const handle = handlerOf(path)
  if (!handle) throw new ServiceError('not_found', 404, `This backend has no service at ${path}`)
  const headers = new Headers(request.headers)
  for (const name of [...headers.keys()])
    if (OWN_HEADERS.includes(name) || /^(?:sec|x-console)-/.test(name)) headers.delete(name)
  const as = request.headers.get('x-console-as')
  await setKey(headers, as, callerDeps)
  const forwarded = forwardedTo(`${apiUrl}${path}${search}`, headers, request)
  if (request.headers.has('x-console-snapshot')) await keepForUndo?.('console').catch(failStatement)
  const response = await handle(forwarded, { requestId: crypto.randomUUID(), address })
  const passed = new Headers(response.headers)
  // A bucket's file may be a page with scripts.
  passed.set('content-security-policy', "default-src 'none'; sandbox")
  passed.delete('set-cookie')
  return new Response(response.body, { status: response.status, headers: passed })
}

const forwardedTo = (url: string | URL, headers: Headers, { method, signal, body }: Request): Request =>
  new Request(url, { method, headers, signal, ...(body ? { body, duplex: 'half' } : {}) } as RequestInit)

const PREFIX = '/api/mail'
/** Nothing in a mail may run or load in the console's origin. A mail's own view has a more detailed policy. */
const POLICY = "sandbox; default-src 'none'"

/** Forwards `/api/mail/v1/…` (Mailpit's API), `/api/mail/events` and `/api/mail/view/ID.html` to the inbox, so that the page only calls its
 *  own origin. @param inbox Null if turned off. @throws {ServiceError} */
export async function callMail(inbox: RequestHandler | null, request: Request): Promise<Response> {
  if (!inbox)
    throw new ServiceError(
      'not_found',
      404,
      'This backend has no inbox: set enabled = true in [local_smtp] of supabase/config.toml',
    )
  const url = new URL(request.url)
  const path = url.pathname.slice(PREFIX.length)
  const isView = path.startsWith('/view/')
  url.pathname = path.startsWith('/v1/') ? `/api${path}` : path
  if (isView) url.searchParams.set('remote', 'off')
  const headers = new Headers(request.headers)
  headers.delete('cookie')
  const forwarded = forwardedTo(url, headers, request)
  const response = await inbox(forwarded, { requestId: crypto.randomUUID(), address: '127.0.0.1' })
  const answer = new Response(response.body, response)
  if (isView) answer.headers.set('x-frame-options', 'SAMEORIGIN')
  if (!isView || !answer.headers.has('content-security-policy')) answer.headers.set('content-security-policy', POLICY)
  return answer
}

/** A function call. @property path The function's name, the rest of the path and the query. */
export const FunctionCall = z.strictObject({
  path: z.string().regex(/^[A-Za-z][\w-]*(?:[/?]|$)/, 'must begin with the name of a function'),
  method: z.enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']),
  headers: z.array(z.tuple([z.string(), z.string()])).max(100),
  body: z.string().nullable(),
  /** A role, a user, or `none` for no key; without it, the secret key. */
  as: z.string().exactOptional(),
})

/** The first line of the response, in JSON; the body's bytes follow. @property milliseconds Until the headers arrived. */
export type FunctionReply = {
  readonly status: number
  readonly statusText: string
  readonly headers: readonly (readonly [string, string])[]
  readonly milliseconds: number
}

/** Calls a function and returns the raw response: a browser would follow redirects, hide cookies and refuse to send reserved headers.
 *  @throws {ServiceError} 400, 404 */
export async function callFunction(
  { apiUrl, handlerOf, ...callerDeps }: ConsoleOptions,
  call: z.infer<typeof FunctionCall>,
  { request: { signal }, address }: { readonly request: Request; readonly address: string },
): Promise<Response> {
  const path = `/functions/v1/${call.path}`
  const handle = handlerOf(path)
  if (!handle)
    throw new ServiceError(
      'not_found',
      404,
      'This backend has no functions: set enabled = true in [edge_runtime] of supabase/config.toml',
    )
  // A path with dots could reach another service.
  if (!new URL(apiUrl + path).pathname.startsWith(`/functions/v1/${call.path.split(/[/?]/, 1)}`))
    throw new ServiceError('invalid_path', 400, `The path ${call.path} leaves its function`)
  const headers = headersOf(call.headers)
  await setKey(headers, call.as ?? null, callerDeps)
  const hasBody = call.body !== null && call.method !== 'GET' && call.method !== 'HEAD'
  const request = new Request(apiUrl + path, {
    method: call.method,
    headers,
    signal,
    ...(hasBody ? { body: call.body } : {}),
  })
  const start = performance.now()
  const response = await handle(request, { requestId: crypto.randomUUID(), address })
  const reply: FunctionReply = {
    status: response.status,
    statusText: response.statusText,
    headers: [...response.headers],
    milliseconds: performance.now() - start,
  }
  return new Response(withFirstLine(JSON.stringify(reply), response.body), {
    headers: { 'content-type': 'application/octet-stream' },
  })
}

/** @throws {ServiceError} 400 for an invalid header. */
function headersOf(pairs: readonly (readonly [string, string])[]): Headers {
  const headers = new Headers()
  for (const [name, value] of pairs) {
    try {
      headers.append(name, value)
    } catch {
      throw new ServiceError('invalid_header', 400, `"${name}: ${value}" is not a valid header`)
    }
  }
  return headers
}

function withFirstLine(line: string, body: ReadableStream<Uint8Array> | null): ReadableStream<Uint8Array> {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const writer = writable.getWriter()
  void writer
    .write(new TextEncoder().encode(`${line}\n`))
    .then(() => writer.releaseLock())
    .then(() => (body ? body.pipeTo(writable) : writable.close()))
    // The client disconnected or the function broke off; the stream's reader notices.
    .catch(() => undefined)
  return readable
}
