import { createHash } from 'node:crypto'
import { decodeJwt, type JWTPayload } from 'jose'
import { z } from 'zod'
import type { AuthDeps } from '../../deps.ts'
import { authError, oauthError } from '../../errors.ts'
import { startSession, type TokenResponse } from '../../flows/start-session.ts'
import type { Call } from '../../http/call.ts'
import { requireUser } from '../../http/caller.ts'
import { text } from '../../models/params.ts'
import { accountFor } from '../accounts.ts'
import { findCustomProvider, mappedProfile } from '../custom/custom-providers.ts'
import { verifyCustomToken } from '../custom/sign-in.ts'
import type { Profile } from '../profile.ts'
import { audienceOf, verifyIdToken } from '../verify-id-token.ts'
import { idTokenProfile } from './id-token-profile.ts'
import { linkIdentity } from './link-identity.ts'

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

/** Signs in (or links an identity) with an ID token that an app received directly from a provider.
 *  @see supabase/auth internal/api/token_oidc.go */
export async function idTokenGrant(deps: AuthDeps, call: Call, grant: IdTokenGrant): Promise<TokenResponse> {
  if (grant.id_token === '') throw oauthError('invalid request', 'id_token required')
  if (grant.provider === '' && (grant.client_id === '' || grant.issuer === '')) {
    throw oauthError('invalid request', 'provider or client_id and issuer required')
  }
  const target = grant.link_identity ? await linkingTarget(deps, call) : null
  const { name, clientIds, skipsNonce, emailOptional, verify, profile } = await issuerFor(deps, grant)
  const claims = await verify(grant.id_token).catch((error: unknown) => {
    throw oauthError('invalid request', 'Bad ID token', { cause: error })
  })
  checkClaims(claims, grant, { clientIds, skipsNonce })
  if (target)
    return startSession(deps, call, {
      user: await linkIdentity(deps, call, { targetId: target, provider: name, profile: profile(claims) }),
      method: 'oauth',
    })
  return accountFor(deps, call, { provider: name, profile: profile(claims), emailOptional }, (deps, user) =>
    startSession(deps, call, { user, method: 'oauth' }),
  )
}

async function linkingTarget(deps: AuthDeps, { request, now }: Call): Promise<string> {
  if (!request.headers.has('authorization')) {
    throw oauthError('invalid request', 'Linking requires a valid user access token in Authorization')
  }
  return (await requireUser(request, deps, now)).user.id
}

type Issuer = {
  readonly name: string
  readonly clientIds: readonly string[]
  readonly skipsNonce: boolean
  readonly emailOptional: boolean
  verify(token: string): Promise<JWTPayload>
  profile(claims: JWTPayload): Profile
}

async function issuerFor(deps: AuthDeps, grant: IdTokenGrant): Promise<Issuer> {
  if (grant.provider.startsWith('custom:')) return customIssuer(deps, grant.provider)
  const { name, issuer } = issuerOf(deps, grant)
  const settings = deps.config.external[name]
  if (!settings?.enabled) throw authError('idTokenProviderDisabled', [issuer])
  return {
    name,
    clientIds: settings.client_id.split(','),
    skipsNonce: settings.skip_nonce_check || name === 'facebook',
    emailOptional: settings.email_optional,
    verify: (token) => verifyIdToken(deps, token, issuer),
    profile: (claims) => idTokenProfile(name, claims),
  }
}

async function customIssuer(deps: AuthDeps, name: string): Promise<Issuer> {
  const custom = await findCustomProvider(deps.db, name)
  if (!custom) throw authError('customTokenUnknown', [name])
  if (!custom.enabled) throw authError('customTokenDisabled', [name])
  if (custom.provider_type !== 'oidc') throw authError('customTokenNotOidc', [name])
  return {
    name,
    clientIds: [custom.client_id, ...custom.acceptable_client_ids],
    skipsNonce: custom.skip_nonce_check,
    emailOptional: custom.email_optional,
    verify: (token) => verifyCustomToken(deps, custom, token),
    profile: (claims) => mappedProfile(claims, custom.issuer ?? '', custom),
  }
}

const ISSUERS: Readonly<Record<string, string>> = {
  facebook: 'https://www.facebook.com',
  google: 'https://accounts.google.com',
  kakao: 'https://kauth.kakao.com',
  snapchat: 'https://accounts.snapchat.com/accounts/oauth2/token',
  vercel_marketplace: 'https://marketplace.vercel.com',
}

const APPLE = ['https://appleid.apple.com', 'https://account.apple.com']

const AZURE = /^https:\/\/(?:login\.microsoftonline\.com|sts\.windows\.net)\/[^/]+(?:\/v2\.0)?\/?$/

function issuerOf(
  { config }: AuthDeps,
  { provider, issuer, id_token }: IdTokenGrant,
): { name: string; issuer: string } {
  const keycloak = config.external.keycloak?.url ?? ''
  const byIssuer = Object.keys(ISSUERS).find((name) => ISSUERS[name] === issuer)
  if (provider === 'apple' || APPLE.includes(issuer)) return { name: 'apple', issuer: appleIssuer(id_token, issuer) }
  if (provider === 'azure' || AZURE.test(issuer)) return { name: 'azure', issuer: azureIssuer(id_token, issuer) }
  if (provider === 'keycloak' || (keycloak !== '' && issuer === keycloak)) return { name: 'keycloak', issuer: keycloak }
  const name = Object.hasOwn(ISSUERS, provider) ? provider : byIssuer
  if (!name) throw authError('idTokenProviderUnknown', [provider])
  return { name, issuer: ISSUERS[name] ?? '' }
}

/** Apple issues tokens under two issuer names. */
function appleIssuer(token: string, asked: string): string {
  const issuer = readIssuer(token, 'Apple')
  if (!APPLE.includes(issuer)) throw authError('idTokenIssuerForeign', ['an Apple'])
  if (asked !== '' && asked !== issuer) throw authError('idTokenIssuerMismatch')
  return issuer
}

function readIssuer(token: string, provider: string): string {
  try {
    return decodeJwt(token).iss ?? ''
  } catch (error) {
    throw authError('idTokenIssuerUnread', [provider], { cause: error })
  }
}

/** Each tenant has its own issuer, which must be one of Microsoft's. */
function azureIssuer(token: string, asked: string): string {
  const issuer = readIssuer(token, 'Azure')
  if (!AZURE.test(issuer)) throw authError('idTokenIssuerForeign', ['an Azure'])
  if (asked !== '' && asked !== issuer) throw authError('idTokenIssuerMismatch')
  return issuer
}

function checkClaims(
  claims: JWTPayload,
  { nonce, access_token: accessToken }: IdTokenGrant,
  { clientIds, skipsNonce }: { readonly clientIds: readonly string[]; readonly skipsNonce: boolean },
): void {
  if (!claims.sub) throw oauthError('invalid request', 'Missing sub claim in id_token')
  if (!audienceOf(claims, clientIds)) {
    throw oauthError('invalid request', `Unacceptable audience in id_token: [${[claims.aud ?? []].flat().join(' ')}]`)
  }
  const expected = typeof claims.nonce === 'string' ? claims.nonce : ''
  if (!skipsNonce) {
    if ((expected === '') !== (nonce === '')) {
      throw oauthError('invalid request', 'Passed nonce and nonce in id_token should either both exist or not.')
    }
    // The provider only receives the nonce's hash, so that an intercepted token can't be replayed.
    if (expected !== '' && createHash('sha256').update(nonce).digest('hex') !== expected) {
      throw oauthError('invalid nonce', 'Nonces mismatch')
    }
  }
  if (accessToken !== '' && typeof claims.at_hash === 'string') {
    const half = createHash('sha256').update(accessToken).digest().subarray(0, 16).toString('base64url')
    if (half !== claims.at_hash) throw oauthError('invalid request', 'Bad ID token')
  }
}
