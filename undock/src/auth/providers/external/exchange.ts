import { decodeJwt } from 'jose'
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  type ClientAuth,
  Configuration,
  customFetch,
} from 'openid-client'
import type { AuthDeps } from '../../deps.ts'
import { authError } from '../../errors.ts'
import { type Json, object } from '../../models/params.ts'
import type { OAuthState, ProviderTokens } from '../oauth-states.ts'
import type { Profile } from '../profile.ts'
import type { KnownProvider } from '../provider.ts'
import { audienceOf, verifyIdToken } from '../verify-id-token.ts'

const TIMEOUT = 10_000

/** Returns the address to which the provider redirects. */
export function callbackUrl(
  { config, externalUrl }: Pick<AuthDeps, 'config' | 'externalUrl'>,
  provider: string,
): string {
  return config.external[provider]?.redirect_uri || `${externalUrl}/callback`
}

export type Exchanged = { readonly profile: Profile; readonly tokens: ProviderTokens }

/** Exchanges the provider's code and fetches the user's profile.
 *  @throws `unexpected_failure` if the provider refuses or is unreachable */
export async function exchangeCode(
  deps: AuthDeps,
  provider: KnownProvider,
  state: OAuthState,
  params: URLSearchParams,
): Promise<Exchanged> {
  const { tokens, answer } = await requestTokens(deps, provider, state, params)
  const { clientId, secret } = provider
  const idToken = typeof answer.id_token === 'string' ? answer.id_token : null
  try {
    const profile = await provider.profile({
      ask: (url, headers = {}) =>
        readJson(deps.fetch, url, { ...headers, authorization: `Bearer ${tokens.accessToken}` }),
      async verify(token, issuer) {
        const claims = await verifyIdToken(deps, token, issuer)
        if (!audienceOf(claims, [clientId])) throw new Error(`the ID token is for ${String(decodeJwt(token).aud)}`)
        return claims
      },
      accessToken: tokens.accessToken,
      idToken,
      answer,
      params,
      clientId,
      secret,
    })
    return { tokens, profile }
  } catch (error) {
    throw authError('providerProfile', [], { cause: error })
  }
}

async function requestTokens(
  deps: AuthDeps,
  provider: KnownProvider,
  state: OAuthState,
  params: URLSearchParams,
): Promise<{ tokens: ProviderTokens; answer: Json }> {
  const code = params.get('code') ?? ''
  const server = { issuer: provider.tokenUrl, token_endpoint: provider.tokenUrl }
  const client = new Configuration(
    server,
    provider.clientId,
    provider.secret,
    provider.basic ? basic(provider) : undefined,
  )
  let whole: Json = {}
  client.timeout = TIMEOUT / 1000
  client[customFetch] = async (url, init) => {
    const response = await deps.fetch(url, init as RequestInit)
    const parsed = object.safeParse(
      await response
        .clone()
        .json()
        .catch(() => null),
    )
    if (!response.ok || !parsed.success) return response
    whole = parsed.data
    return plainAnswer(parsed.data)
  }
  if (provider.tokenUrl.startsWith('http:')) allowInsecureRequests(client)
  const url = new URL(callbackUrl(deps, state.provider))
  url.searchParams.set('code', code)
  url.searchParams.set('state', state.id)
  try {
    const answer = await authorizationCodeGrant(client, url, {
      expectedState: state.id,
      ...(state.verifier ? { pkceCodeVerifier: state.verifier } : {}),
    })
    return { tokens: { accessToken: answer.access_token, refreshToken: answer.refresh_token ?? '' }, answer: whole }
  } catch (error) {
    throw authError('providerExchange', [code.slice(0, 4)], { cause: error })
  }
}

/** Normalizes responses: some providers omit the token type, separate scopes differently, or sign ID tokens as another
 *  issuer than the endpoint's (which are checked where they're read). */
function plainAnswer({ access_token, refresh_token, error, error_description }: Json): Response {
  return Response.json(
    error === undefined ? { access_token, refresh_token, token_type: 'bearer' } : { error, error_description },
    { status: error === undefined ? 200 : 400 },
  )
}

/** Encodes credentials like most clients. The library even escapes hyphens, which some providers don't decode. */
const basic =
  ({ clientId, secret }: KnownProvider): ClientAuth =>
  (_server, _client, _body, headers) => {
    headers.set('authorization', `Basic ${btoa(`${encodeURIComponent(clientId)}:${encodeURIComponent(secret)}`)}`)
  }

async function readJson(fetch: typeof globalThis.fetch, url: string, headers: Record<string, string>): Promise<Json> {
  const response = await fetch(url, {
    headers: { ...headers, accept: 'application/json', 'user-agent': 'undock' },
    signal: AbortSignal.timeout(TIMEOUT),
  })
  if (!response.ok) throw new Error(`${new URL(url).host} answered ${response.status}`)
  return (await response.json()) as Json
}
