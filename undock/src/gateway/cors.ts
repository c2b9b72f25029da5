// The API is open to every origin, as it is behind the gateway of `supabase start`: what may be read is decided by
// the key and the token that a page has to send itself, never by a cookie.

const METHODS = 'GET,HEAD,PUT,PATCH,POST,DELETE,OPTIONS,TRACE,CONNECT'

/** Headers that the clients read and that a browser would hide from them. */
const EXPOSED = [
  'Content-Encoding',
  'Content-Location',
  'Content-Range',
  'Content-Type',
  'Content-Length',
  'Content-Disposition',
  'Date',
  'ETag',
  'Link',
  'Location',
  'Preference-Applied',
  'Range-Unit',
  'Retry-After',
  'Tus-Extension',
  'Tus-Max-Size',
  'Tus-Resumable',
  'Tus-Version',
  'Upload-Expires',
  'Upload-Length',
  'Upload-Metadata',
  'Upload-Offset',
  'X-Relay-Error',
  'X-Request-Id',
  'X-Supabase-Api-Version',
  'X-Total-Count',
].join(', ')

/** They let any page read a response. */
export const LABELS: readonly (readonly [name: string, value: string])[] = [
  ['access-control-allow-origin', '*'],
  ['access-control-expose-headers', EXPOSED],
]

/** @returns the answer to a browser's preflight, or null when the request is none. */
export function preflight(request: Request): Response | null {
  if (request.method !== 'OPTIONS' || !request.headers.has('access-control-request-method')) return null
  const headers = new Headers({
    'access-control-allow-origin': '*',
    'access-control-allow-methods': METHODS,
    'access-control-max-age': '3600',
    'content-length': '0',
  })
  const wanted = request.headers.get('access-control-request-headers')
  if (wanted) headers.set('access-control-allow-headers', wanted)
  // Chromium asks this of a public page that calls a server on this machine.
  if (request.headers.get('access-control-request-private-network') === 'true') {
    headers.set('access-control-allow-private-network', 'true')
  }
  return new Response(null, { status: 200, headers })
}
