import { createHash } from 'node:crypto'
import { createRemoteJWKSet, decodeJwt, type JWTPayload, jwtVerify } from 'jose'
import { z } from 'zod'
import type { Call } from '../call.ts'
import { requireCaller } from '../caller.ts'
import type { AuthDeps } from '../deps.ts'
import { authError, oauthError } from '../errors.ts'
import { text } from '../params.ts'
import { startSession, type TokenResponse } from '../start-session.ts'
import { accountFor } from './accounts.ts'
import { linkTo } from './link.ts'
import { oidcProfile } from './profile.ts'

export const IdTokenGrant = z.object({
  id_token: text,
  access_token: text,
  nonce: text,
  provider: text,
  client_id: text,
  issuer: text,
  link_identity: z.boolean().nullish(),
})
type IdTokenGrant = z.infer<typeof IdTokenGrant>

/** Signs in (or links) by an ID token that an app got from a provider itself.
 *  @see supabase/auth internal/api/token_oidc.go */
export async function idTokenGrant(deps: AuthDeps, call: Call, grant: IdTokenGrant): Promise<TokenResponse> {
  if (grant.id_token === '') throw oauthError('invalid request', 'id_token required')
  if (grant.provider === '' && (grant.client_id === '' || grant.issuer === '')) {
    throw oauthError('invalid request', 'provider or client_id and issuer required')
  }
  const target = grant.link_identity ? await linkingTarget(deps, call) : null
  const { name, issuer } = issuerOf(deps, grant)
  const settings = deps.config.external[name]
  if (!settings?.enabled) throw authError('idTokenProviderDisabled', [issuer])
  const claims = await verifyIdToken(deps, grant.id_token, issuer)
  checkClaims(claims, grant, settings.client_id.split(','), settings.skip_nonce_check || name === 'facebook')
  const profile = oidcProfile(claims, issuer)
  const user = target
    ? await linkTo(deps, call, target, name, profile)
    : await accountFor(deps, call, name, profile, settings.email_optional)
  return startSession(deps, call, user, 'oauth')
}

async function linkingTarget(deps: AuthDeps, { request }: Call): Promise<string> {
  if (!request.headers.has('authorization')) {
    throw oauthError('invalid request', 'Linking requires a valid user access token in Authorization')
  }
  return (await requireCaller(request, deps)).user.id
}

const ISSUERS: Readonly<Record<string, string>> = {
  apple: 'https://appleid.apple.com',
  facebook: 'https://www.facebook.com',
  google: 'https://accounts.google.com',
  kakao: 'https://kauth.kakao.com',
}

const AZURE = /^https:\/\/(?:login\.microsoftonline\.com|sts\.windows\.net)\/[^/]+(?:\/v2\.0)?\/?$/

/** The provider that is meant, and the issuer that its tokens must name. */
function issuerOf(
  { config }: AuthDeps,
  { provider, issuer, id_token }: IdTokenGrant,
): { name: string; issuer: string } {
  const keycloak = config.external.keycloak?.url ?? ''
  const byIssuer = Object.keys(ISSUERS).find((name) => ISSUERS[name] === issuer)
  if (provider === 'azure' || AZURE.test(issuer)) return { name: 'azure', issuer: azureIssuer(id_token, issuer) }
  if (provider === 'keycloak' || (keycloak !== '' && issuer === keycloak)) return { name: 'keycloak', issuer: keycloak }
  const name = Object.hasOwn(ISSUERS, provider) ? provider : byIssuer
  if (!name) throw authError('idTokenProviderUnknown', [provider])
  return { name, issuer: ISSUERS[name] ?? '' }
}

/** Each tenant is an issuer of its own: the token names it, and must be one of Microsoft's. */
function azureIssuer(token: string, asked: string): string {
  let issuer = ''
  try {
    issuer = decodeJwt(token).iss ?? ''
  } catch (error) {
    throw authError('idTokenIssuerUnread', [], { cause: error })
  }
  if (!AZURE.test(issuer)) throw authError('idTokenIssuerForeign')
  if (asked !== '' && asked !== issuer) throw authError('idTokenIssuerMismatch')
  return issuer
}

const Discovery = z.object({ issuer: z.string(), jwks_uri: z.url() })

/** Keys of issuers seen before; the set itself refetches when it meets a key it does not know. */
const keySets = new Map<string, ReturnType<typeof createRemoteJWKSet>>()

async function verifyIdToken({ clock }: AuthDeps, token: string, issuer: string): Promise<JWTPayload> {
  try {
    const keys = keySets.get(issuer) ?? (await discoverKeys(issuer))
    keySets.set(issuer, keys)
    const options = { issuer, currentDate: clock.now(), algorithms: ['RS256', 'ES256', 'PS256', 'EdDSA'] }
    return (await jwtVerify(token, keys, options)).payload
  } catch (error) {
    throw oauthError('invalid request', 'Bad ID token', { cause: error })
  }
}

async function discoverKeys(issuer: string) {
  const url = `${issuer.replace(/\/+$/, '')}/.well-known/openid-configuration`
  const response = await fetch(url, { signal: AbortSignal.timeout(10_000) })
  const document = Discovery.parse(await response.json())
  if (document.issuer !== issuer) throw new Error(`the issuer calls itself ${document.issuer}`)
  return createRemoteJWKSet(new URL(document.jwks_uri))
}

function checkClaims(
  claims: JWTPayload,
  { nonce, access_token: accessToken }: IdTokenGrant,
  clientIds: string[],
  skipsNonce: boolean,
): void {
  if (!claims.sub) throw oauthError('invalid request', 'Missing sub claim in id_token')
  const audience = [claims.aud ?? []].flat()
  if (!clientIds.some((id) => id.trim() !== '' && audience.includes(id.trim()))) {
    throw oauthError('invalid request', `Unacceptable audience in id_token: [${audience.join(' ')}]`)
  }
  const expected = typeof claims.nonce === 'string' ? claims.nonce : ''
  if (!skipsNonce) {
    if ((expected === '') !== (nonce === '')) {
      throw oauthError('invalid request', 'Passed nonce and nonce in id_token should either both exist or not.')
    }
    // The app keeps the nonce and sends the provider its hash only, so that the token alone cannot be replayed.
    if (expected !== '' && createHash('sha256').update(nonce).digest('hex') !== expected) {
      throw oauthError('invalid nonce', 'Nonces mismatch')
    }
  }
  if (accessToken !== '' && typeof claims.at_hash === 'string') {
    const half = createHash('sha256').update(accessToken).digest().subarray(0, 16).toString('base64url')
    if (half !== claims.at_hash) throw oauthError('invalid request', 'Bad ID token')
  }
}
