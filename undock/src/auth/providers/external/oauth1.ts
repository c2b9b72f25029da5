import { createHmac, randomBytes } from 'node:crypto'
import type { AuthDeps } from '../../deps.ts'
import { authError } from '../../errors.ts'
import type { Json } from '../../models/params.ts'
import type { KnownProvider } from '../provider.ts'
import type { Exchanged } from './exchange.ts'

// OAuth 1.0a (RFC 5849), which only Twitter still uses.

const TIMEOUT = 10_000

type Token = { readonly token: string; readonly secret: string }

/** Requests a request token. @returns the address to redirect the browser to */
export async function requestTokenUrl(deps: AuthDeps, provider: KnownProvider, callback: string): Promise<string> {
  const { authorizeUrl, requestTokenUrl: url = '' } = provider
  const { token } = await askToken(deps, provider, url, { oauth_callback: callback }).catch((error: unknown) => {
    throw authError('requestTokenFailed', [], { cause: error })
  })
  return `${authorizeUrl}?${new URLSearchParams({ oauth_token: token })}`
}

/** Exchanges the verified request token and fetches the user's profile.
 *  @see supabase/auth internal/api/external_oauth.go */
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
        const response = await signed(deps, { method: 'GET', url, provider, params: {}, token: access })
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
  const response = await signed(deps, { method: 'POST', url, provider, params, token: null })
  const answer = new URLSearchParams(await response.text())
  const token = answer.get('oauth_token')
  if (!token) throw new Error(`${new URL(url).host} answered without a token`)
  return { token, secret: answer.get('oauth_token_secret') ?? '' }
}

type Params = Readonly<Record<string, string>>

async function signed(
  deps: AuthDeps,
  {
    method,
    url,
    provider,
    params,
    token,
  }: {
    readonly method: 'GET' | 'POST'
    readonly url: string
    readonly provider: KnownProvider
    readonly params: Params
    readonly token: Token | null
  },
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
  const oauth_signature = signatureOf({
    method,
    url,
    params: oauth,
    secret: provider.secret,
    tokenSecret: token?.secret ?? '',
  })
  const header = Object.entries({ ...oauth, oauth_signature }).map(([name, value]) => `${name}="${escaped(value)}"`)
  const response = await deps.fetch(url, {
    method,
    headers: { authorization: `OAuth ${header.join(', ')}`, 'user-agent': 'undock' },
    signal: AbortSignal.timeout(TIMEOUT),
  })
  if (!response.ok) throw new Error(`${new URL(url).host} answered ${response.status}`)
  return response
}

/** Signs per RFC 5849 §3.4, HMAC-SHA1. @param params All signed parameters except the URL's query. */
export function signatureOf({
  method,
  url,
  params,
  secret,
  tokenSecret,
}: {
  readonly method: string
  readonly url: string
  readonly params: Params
  readonly secret: string
  readonly tokenSecret: string
}): string {
  const { origin, pathname, searchParams } = new URL(url)
  const pairs = [...Object.entries(params), ...searchParams].map(([name, value]) => [escaped(name), escaped(value)])
  const sorted = pairs.map((pair) => pair.join('=')).sort()
  const base = [method, origin + pathname, sorted.join('&')].map(escaped).join('&')
  return createHmac('sha1', `${escaped(secret)}&${escaped(tokenSecret)}`)
    .update(base)
    .digest('base64')
}

/** Percent-encodes per RFC 3986, which escapes more than `encodeURIComponent`. */
const escaped = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`)
