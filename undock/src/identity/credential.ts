/** Picks a request's credential as the gateway of `supabase start` does: an `Authorization` header that holds a
 *  token wins; one that repeats an `sb_` key is ignored, since such keys travel in `apikey`.
 *  @see supabase/cli internal/start (the gateway's header rules). */
export function credentialOf(request: Request): string | null {
  const authorization = request.headers.get('authorization')
  if (authorization && !/^Bearer sb_/i.test(authorization)) {
    const [scheme = '', token = ''] = authorization.split(/\s+/, 2)
    // Whatever follows another scheme is handed on as it is: it will be refused as malformed, not taken for nobody.
    return scheme.toLowerCase() === 'bearer' && token ? token : authorization
  }
  const key = request.headers.get('apikey') ?? apikeyParameter(request.url) ?? bearerOf(authorization)
  return key || null
}

const bearerOf = (authorization: string | null): string | null => authorization?.slice('Bearer '.length).trim() ?? null

/** Only WebSockets, which can send no headers from a browser, name it in the URL; parsing every URL would be waste. */
function apikeyParameter(url: string): string | null {
  return url.includes('apikey=') ? new URL(url).searchParams.get('apikey') : null
}
