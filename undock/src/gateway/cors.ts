// The API is open to every origin, as it is behind the gateway of `supabase start`: what may be read is decided by
// the key and the token that a page has to send itself, never by a cookie.

const METHODS = 'GET,HEAD,PUT,PATCH,POST,DELETE,OPTIONS,TRACE,CONNECT'

/** Headers that clients read and that browsers hide unless they are exposed. */
export const EXPOSED_HEADERS = [
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
export const CORS_HEADERS: readonly (readonly [name: string, value: string])[] = [
  ['access-control-allow-origin', '*'],
  ['access-control-expose-headers', EXPOSED_HEADERS],
]

export const isPreflight = ({ method, headers }: Request): boolean =>
  method === 'OPTIONS' && headers.has('access-control-request-method')

/** The answer to a browser's preflight.
 *  @param isForeign Whether its page is of another machine. */
export function answerPreflight(request: Request, { isForeign }: { readonly isForeign: boolean }): Response {
  const headers = new Headers({
    'access-control-allow-origin': '*',
    'access-control-allow-methods': METHODS,
    'access-control-max-age': '3600',
    'content-length': '0',
  })
  const wanted = request.headers.get('access-control-request-headers')
  if (wanted) headers.set('access-control-allow-headers', wanted)
  // Chromium asks this for a page of a public address that calls a server on this machine.
  if (!isForeign && request.headers.get('access-control-request-private-network') === 'true') {
    headers.set('access-control-allow-private-network', 'true')
  }
  return new Response(null, { status: 200, headers })
}
