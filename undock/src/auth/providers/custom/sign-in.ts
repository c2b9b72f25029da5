import type { AuthDeps } from '../../deps.ts'
import type { Json } from '../../models/params.ts'
import type { Profile } from '../profile.ts'
import type { ExchangeResult, KnownProvider } from '../provider.ts'
import { audienceOf, verifyIdToken } from '../verify-id-token.ts'
import { type CustomProvider, mappedProfile } from './custom-providers.ts'
import { type DiscoveryDocument, discoveryOf, discoveryUrlOf } from './discovery.ts'

/** Adapts a project's custom provider to the built-in providers' type. */
export async function customProvider(deps: AuthDeps, custom: CustomProvider): Promise<KnownProvider> {
  const document = custom.provider_type === 'oidc' ? await discoveryOf(deps, custom) : null
  return {
    authorizeUrl: document?.authorization_endpoint ?? custom.authorization_url ?? '',
    tokenUrl: document?.token_endpoint ?? custom.token_url ?? '',
    scopes: custom.scopes,
    scopesReplaced: true,
    extra: custom.authorization_params as Record<string, string>,
    pkce: custom.pkce_enabled,
    clientId: custom.client_id,
    secret: custom.client_secret,
    emailOptional: custom.email_optional,
    profile: (result) => profileOf(deps, custom, document, result),
  }
}

async function profileOf(
  deps: AuthDeps,
  custom: CustomProvider,
  document: DiscoveryDocument | null,
  result: ExchangeResult,
): Promise<Profile> {
  if (document && result.idToken) {
    const claims = await verifyCustomToken(deps, custom, result.idToken)
    if (!audienceOf(claims, [custom.client_id, ...custom.acceptable_client_ids])) {
      throw new Error('the token is for none of the acceptable client IDs')
    }
    return mappedProfile(claims as Json, custom.issuer ?? '', custom)
  }
  const url = document ? document.userinfo_endpoint : custom.userinfo_url
  if (!url) throw new Error('no ID token or userinfo endpoint available')
  return mappedProfile(await result.ask(url), custom.issuer ?? url, custom)
}

export const verifyCustomToken = (deps: AuthDeps, custom: CustomProvider, token: string) =>
  verifyIdToken(deps, token, custom.issuer ?? '', discoveryUrlOf(custom))
