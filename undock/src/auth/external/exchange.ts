import { allowInsecureRequests, authorizationCodeGrant, Configuration } from 'openid-client'
import type { AuthDeps } from '../deps.ts'
import { authError } from '../errors.ts'
import type { Json } from '../params.ts'
import type { OAuthState, ProviderTokens } from './oauth-states.ts'
import type { Profile } from './profile.ts'
import type { KnownProvider } from './providers.ts'

const TIMEOUT = 10_000

/** Where the provider sends people back to. */
export function callbackUrl(
  { config, externalUrl }: Pick<AuthDeps, 'config' | 'externalUrl'>,
  provider: string,
): string {
  return config.external[provider]?.redirect_uri || `${externalUrl}/callback`
}

export type Exchanged = { readonly profile: Profile; readonly tokens: ProviderTokens }

/** Exchanges the provider's code and asks who it was.
 *  @throws `unexpected_failure` when the provider refuses or cannot be reached */
export async function exchangeCode(
  deps: AuthDeps,
  provider: KnownProvider,
  state: OAuthState,
  params: URLSearchParams,
): Promise<Exchanged> {
  const tokens = await requestTokens(deps, provider, state, params)
  try {
    return { tokens, profile: await provider.profile((url) => readJson(url, tokens.accessToken)) }
  } catch (error) {
    throw authError('providerProfile', [], { cause: error })
  }
}

async function requestTokens(
  deps: AuthDeps,
  provider: KnownProvider,
  state: OAuthState,
  params: URLSearchParams,
): Promise<ProviderTokens> {
  const code = params.get('code') ?? ''
  const server = { issuer: provider.issuer, token_endpoint: provider.tokenUrl }
  const client = new Configuration(server, provider.clientId, provider.secret)
  client.timeout = TIMEOUT / 1000
  if (provider.tokenUrl.startsWith('http:')) allowInsecureRequests(client)
  const url = new URL(callbackUrl(deps, state.provider))
  url.searchParams.set('code', code)
  url.searchParams.set('state', state.id)
  try {
    const answer = await authorizationCodeGrant(client, url, {
      expectedState: state.id,
      ...(state.verifier ? { pkceCodeVerifier: state.verifier } : {}),
    })
    return { accessToken: answer.access_token, refreshToken: answer.refresh_token ?? '' }
  } catch (error) {
    throw authError('providerExchange', [code.slice(0, 4)], { cause: error })
  }
}

async function readJson(url: string, accessToken: string): Promise<Json> {
  const response = await fetch(url, {
    headers: { authorization: `Bearer ${accessToken}`, accept: 'application/json', 'user-agent': 'undock' },
    signal: AbortSignal.timeout(TIMEOUT),
  })
  if (!response.ok) throw new Error(`${new URL(url).host} answered ${response.status}`)
  return (await response.json()) as Json
}
