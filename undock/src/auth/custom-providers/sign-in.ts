import type { AuthDeps } from '../deps.ts'
import { audienceOf, verifyIdToken } from '../external/id-token-verify.ts'
import type { Profile } from '../external/profile.ts'
import type { Told } from '../external/providers/provider.ts'
import type { KnownProvider } from '../external/providers/registry.ts'
import type { Json } from '../params.ts'
import { type DiscoveryDocument, discoveryOf, discoveryUrlOf } from './discovery.ts'
import { mappedProfile } from './mapping.ts'
import type { CustomProvider } from './providers.ts'

/** A provider of the project's own, as the flows know providers. */
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
    profile: (told) => profileOf(deps, custom, document, told),
  }
}

async function profileOf(
  deps: AuthDeps,
  custom: CustomProvider,
  document: DiscoveryDocument | null,
  told: Told,
): Promise<Profile> {
  if (document && told.idToken) {
    const claims = await verifyCustomToken(deps, custom, told.idToken)
    if (!audienceOf(claims, [custom.client_id, ...custom.acceptable_client_ids])) {
      throw new Error('the token is for none of the acceptable client IDs')
    }
    return mappedProfile(claims as Json, custom.issuer ?? '', custom)
  }
  const url = document ? document.userinfo_endpoint : custom.userinfo_url
  if (!url) throw new Error('no ID token or userinfo endpoint available')
  return mappedProfile(await told.ask(url), custom.issuer ?? url, custom)
}

export const verifyCustomToken = (deps: AuthDeps, custom: CustomProvider, token: string) =>
  verifyIdToken(deps, token, custom.issuer ?? '', discoveryUrlOf(custom))
