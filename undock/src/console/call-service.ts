import { ServiceError } from '../kernel/service-error.ts'
import { setKey } from './caller-key.ts'
import type { ConsoleOptions } from './options.ts'

/** Headers that belong to the connection with the console, not to the service's request. */
const OWN_HEADERS = ['host', 'cookie', 'origin', 'referer', 'connection', 'authorization', 'apikey', 'x-console-as']

/** Calls a service of the stack with the secret key or, with the header `x-console-as`, as the role or user that it names. */
export async function callService(
  { apiUrl, handlerOf, ...callerDeps }: ConsoleOptions,
  request: Request,
  address: string,
): Promise<Response> {
  const { pathname, search } = new URL(request.url)
  const path = pathname.slice('/api/services'.length)
  const handle = handlerOf(path)
  if (!handle) throw new ServiceError('not_found', 404, `This backend has no service at ${path}`)
  const headers = new Headers(request.headers)
  for (const name of [...headers.keys()])
    if (OWN_HEADERS.includes(name) || name.startsWith('sec-')) headers.delete(name)
  const as = request.headers.get('x-console-as')
  await setKey(headers, as, callerDeps)
  const forwarded = new Request(`${apiUrl}${path}${search}`, {
    method: request.method,
    headers,
    signal: request.signal,
    ...(request.body ? { body: request.body, duplex: 'half' } : {}),
  } as RequestInit)
  const response = await handle(forwarded, { requestId: crypto.randomUUID(), address })
  const passed = new Headers(response.headers)
  // A file of a bucket may be a page with scripts.
  passed.set('content-security-policy', "default-src 'none'; sandbox")
  passed.delete('set-cookie')
  return new Response(response.body, { status: response.status, headers: passed })
}
