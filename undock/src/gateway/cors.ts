// Any origin may call the API, as with `supabase start`: access depends on the key and token that a page sends
// explicitly, never on a cookie.

const METHODS = 'GET,HEAD,PUT,PATCH,POST,DELETE,OPTIONS,TRACE,CONNECT'

/** Response headers that browsers hide from scripts by default. */
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

/** Allow any page to read the response. */
export const CORS_HEADERS: readonly (readonly [name: string, value: string])[] = [
  ['access-control-allow-origin', '*'],
  ['access-control-expose-headers', EXPOSED_HEADERS],
]

export const isPreflight = ({ method, headers }: Request): boolean =>
  method === 'OPTIONS' && headers.has('access-control-request-method')

/** Answers a CORS preflight.
 *  @param isForeign Whether the page's origin is another machine. */
export function answerPreflight(request: Request, { isForeign }: { readonly isForeign: boolean }): Response {
  const headers = new Headers({
    'access-control-allow-origin': '*',
    'access-control-allow-methods': METHODS,
    'access-control-max-age': '3600',
    'content-length': '0',
  })
  const requested = request.headers.get('access-control-request-headers')
  if (requested) headers.set('access-control-allow-headers', requested)
  // Chromium sends this when a public page calls a local server.
  if (!isForeign && request.headers.get('access-control-request-private-network') === 'true') {
    headers.set('access-control-allow-private-network', 'true')
  }
  return new Response(null, { status: 200, headers })
}
