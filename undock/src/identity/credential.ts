/** Reads a request's credential as the gateway of `supabase start` does: a token in the header `Authorization` takes precedence; an
 *  `sb_` key in that header is ignored, since such keys are sent in `apikey`.
 *  @see supabase/cli internal/start (the gateway's header rules). */
export function credentialOf(request: Request): string | null {
  const authorization = request.headers.get('authorization')
  if (authorization && !/^Bearer sb_/i.test(authorization)) {
    const [scheme = '', token = ''] = authorization.split(/\s+/, 2)
    // A header with another scheme is returned unchanged, so that it is refused as malformed and not treated as anonymous.
    return scheme.toLowerCase() === 'bearer' && token ? token : authorization
  }
  const key = request.headers.get('apikey') ?? apikeyParameter(request.url) ?? bearerOf(authorization)
  return key || null
}

const bearerOf = (authorization: string | null): string | null => authorization?.slice('Bearer '.length).trim() ?? null

/** Only WebSockets pass the key in the URL, because browsers cannot send headers with them; other URLs are not parsed. */
function apikeyParameter(url: string): string | null {
  return url.includes('apikey=') ? new URL(url).searchParams.get('apikey') : null
}
