import { createHmac, randomBytes } from 'node:crypto'
import type { AuthDeps } from '../deps.ts'
import { authError } from '../errors.ts'
import type { Json } from '../params.ts'
import type { Exchanged } from './exchange.ts'
import type { KnownProvider } from './providers/registry.ts'

// OAuth 1.0a (RFC 5849), which Twitter alone still speaks.

const TIMEOUT = 10_000

type Token = { readonly token: string; readonly secret: string }

/** Asks for a request token. @returns where the browser goes on with it */
export async function requestTokenUrl(deps: AuthDeps, provider: KnownProvider, callback: string): Promise<string> {
  const { authorizeUrl, requestTokenUrl: url = '' } = provider
  const { token } = await askToken(deps, provider, url, { oauth_callback: callback }).catch((error: unknown) => {
    throw authError('requestTokenFailed', [], { cause: error })
  })
  return `${authorizeUrl}?${new URLSearchParams({ oauth_token: token })}`
}

/** Exchanges the verified request token and asks who it was. @see supabase/auth internal/api/external_oauth.go */
export async function exchangeVerifier(
  deps: AuthDeps,
  provider: KnownProvider,
  params: URLSearchParams,
): Promise<Exchanged> {
  const proof = { oauth_token: params.get('oauth_token') ?? '', oauth_verifier: params.get('oauth_verifier') ?? '' }
  const access = await askToken(deps, provider, provider.tokenUrl, proof).catch((error: unknown) => {
    throw authError('accessTokenFailed', [], { cause: error })
  })
  try {
    const { clientId, secret } = provider
    const profile = await provider.profile({
      async ask(url) {
        const response = await signed(deps, 'GET', url, provider, {}, access)
        return (await response.json()) as Json
      },
      verify: () => Promise.reject(new Error('OAuth 1.0a has no ID tokens')),
      accessToken: access.token,
      idToken: null,
      answer: {},
      params,
      clientId,
      secret,
    })
    return { profile, tokens: { accessToken: access.token, refreshToken: '' } }
  } catch (error) {
    throw authError('providerEmailMissing', [], { cause: error })
  }
}

async function askToken(deps: AuthDeps, provider: KnownProvider, url: string, params: Params): Promise<Token> {
  const response = await signed(deps, 'POST', url, provider, params, null)
  const answer = new URLSearchParams(await response.text())
  const token = answer.get('oauth_token')
  if (!token) throw new Error(`${new URL(url).host} answered without a token`)
  return { token, secret: answer.get('oauth_token_secret') ?? '' }
}

type Params = Readonly<Record<string, string>>

async function signed(
  deps: AuthDeps,
  method: 'GET' | 'POST',
  url: string,
  provider: KnownProvider,
  params: Params,
  token: Token | null,
): Promise<Response> {
  const oauth = {
    oauth_consumer_key: provider.clientId,
    oauth_nonce: randomBytes(16).toString('hex'),
    oauth_signature_method: 'HMAC-SHA1',
    oauth_timestamp: String(Math.floor(deps.clock.now().getTime() / 1000)),
    oauth_version: '1.0',
    ...(token ? { oauth_token: token.token } : {}),
    ...params,
  }
  const oauth_signature = signatureOf(method, url, oauth, provider.secret, token?.secret ?? '')
  const header = Object.entries({ ...oauth, oauth_signature }).map(([name, value]) => `${name}="${escaped(value)}"`)
  const response = await deps.fetch(url, {
    method,
    headers: { authorization: `OAuth ${header.join(', ')}`, 'user-agent': 'undock' },
    signal: AbortSignal.timeout(TIMEOUT),
  })
  if (!response.ok) throw new Error(`${new URL(url).host} answered ${response.status}`)
  return response
}

/** RFC 5849 §3.4, HMAC-SHA1. @param params All that is signed beside the URL's query. */
export function signatureOf(method: string, url: string, params: Params, secret: string, tokenSecret: string): string {
  const { origin, pathname, searchParams } = new URL(url)
  const pairs = [...Object.entries(params), ...searchParams].map(([name, value]) => [escaped(name), escaped(value)])
  const sorted = pairs.map((pair) => pair.join('=')).sort()
  const base = [method, origin + pathname, sorted.join('&')].map(escaped).join('&')
  return createHmac('sha1', `${escaped(secret)}&${escaped(tokenSecret)}`)
    .update(base)
    .digest('base64')
}

/** RFC 3986: what `encodeURIComponent` leaves as it is and more. */
const escaped = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`)
