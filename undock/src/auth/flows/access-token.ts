import { z } from 'zod'
import type { Claims } from '../../kernel/service.ts'
import type { AuthDeps } from '../deps.ts'
import { authError } from '../errors.ts'
import { callHook, hookEnabled } from '../hooks/hooks.ts'
import type { Call } from '../http/call.ts'
import { type AmrEntry, type AppGrant, type AuthenticationMethod, assuranceOf } from '../models/sessions.ts'
import type { User } from '../models/user.ts'

export type AccessToken = { readonly token: string; readonly expiresAt: number }

type Proof = {
  readonly sessionId: string
  readonly amr: readonly AmrEntry[]
  readonly method: AuthenticationMethod
  readonly grant: AppGrant | null
}

/** Signs a session's access token; the project's custom_access_token hook may replace its claims.
 *  @returns the token and its expiry in seconds since the epoch. @see supabase/auth internal/tokens/service.go */
export async function issueAccessToken(
  deps: AuthDeps,
  call: Call,
  user: User,
  { sessionId, amr, method, grant }: Proof,
): Promise<AccessToken> {
  const issuedAt = Math.floor(call.now.getTime() / 1000)
  const expiresAt = issuedAt + deps.config.jwt_expiry
  const claims: Claims = {
    iss: deps.identity.issuer,
    sub: user.id,
    aud: user.aud,
    exp: expiresAt,
    iat: issuedAt,
    email: user.email,
    phone: user.phone,
    app_metadata: user.raw_app_meta_data,
    user_metadata: user.raw_user_meta_data,
    role: user.role,
    aal: assuranceOf(amr),
    amr: amr.map((entry) => (entry.method === 'sso/saml' ? { ...entry, provider: ssoProviderOf(user) } : entry)),
    session_id: sessionId,
    is_anonymous: user.is_anonymous,
    ...(grant ? { client_id: grant.clientId, scope: grant.scopes } : {}),
  }
  if (!hookEnabled(deps.config, 'custom_access_token')) return { token: await deps.identity.sign(claims), expiresAt }
  const input = { user_id: user.id, claims, authentication_method: method }
  const answer = await callHook(deps, call, 'custom_access_token', input)
  return { token: await deps.identity.sign(customClaims(answer)), expiresAt }
}

/** The user's SSO provider id, by which policies tell tenants apart. */
const ssoProviderOf = ({ identities }: User): string =>
  identities.find(({ provider }) => provider.startsWith('sso:'))?.provider.slice('sso:'.length) ?? ''

const MinimumClaims = z.looseObject({
  aud: z.union([z.string(), z.array(z.unknown())]),
  exp: z.int(),
  iat: z.int(),
  sub: z.string(),
  email: z.string(),
  phone: z.string(),
  role: z.string(),
  aal: z.string(),
  session_id: z.string(),
  is_anonymous: z.unknown(),
  iss: z.string().optional(),
  jti: z.string().optional(),
  nbf: z.int().optional(),
  app_metadata: z.record(z.string(), z.unknown()).optional(),
  user_metadata: z.record(z.string(), z.unknown()).optional(),
  amr: z.array(z.union([z.string(), z.record(z.string(), z.unknown())])).optional(),
  client_id: z.string().optional(),
})

function customClaims(answer: unknown): Claims {
  const output = z.object({ claims: z.unknown() }).safeParse(answer)
  if (!output.success || output.data.claims === undefined) throw authError('hookClaimsMissing')
  const claims = MinimumClaims.safeParse(output.data.claims)
  if (claims.success) return claims.data
  const faults = claims.error.issues.map(({ path, message }) => `- ${path.join('.') || '(root)'}: ${message}\n`)
  throw authError('hookClaimsInvalid', [faults.join('')])
}
