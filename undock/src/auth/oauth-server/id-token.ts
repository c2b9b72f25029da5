import type { AuthDeps } from '../deps.ts'
import type { Call } from '../http/call.ts'
import type { User } from '../models/user.ts'
import { scopesOf } from './client-params.ts'

const LIFETIME = 3600

export type IdTokenOptions = {
  readonly user: User
  readonly clientId: string
  readonly scope: string
  readonly nonce: string
}

/** Signs an ID token (OpenID Connect Core §2) with the user's claims that the client's scopes allow.
 *  @see supabase/auth internal/tokens/service.go, GenerateIDToken */
export function signIdToken(
  { identity }: AuthDeps,
  { now }: Call,
  { user, clientId, scope, nonce }: IdTokenOptions,
): Promise<string> {
  const issuedAt = seconds(now)
  const scopes = scopesOf(scope)
  return identity.sign({
    iss: identity.issuer,
    sub: user.id,
    aud: [clientId],
    iat: issuedAt,
    exp: issuedAt + LIFETIME,
    auth_time: seconds(user.last_sign_in_at ?? now),
    client_id: clientId,
    ...(nonce ? { nonce } : {}),
    ...(scopes.includes('email') && user.email
      ? { email: user.email, email_verified: user.email_confirmed_at !== null }
      : {}),
    ...(scopes.includes('phone') && user.phone
      ? { phone_number: user.phone, phone_number_verified: user.phone_confirmed_at !== null }
      : {}),
    ...(scopes.includes('profile') ? profileClaims(user) : {}),
  })
}

/** Returns the claims of the `profile` scope. */
export function profileClaims({ raw_user_meta_data: data, email, updated_at }: User) {
  const first = (...values: readonly unknown[]) => values.find((value) => typeof value === 'string' && value !== '')
  const name = first(data.name, email)
  const picture = first(data.picture, data.avatar_url)
  const username = first(data.preferred_username, data.username)
  return {
    ...(name ? { name } : {}),
    ...(picture ? { picture } : {}),
    ...(username ? { preferred_username: username } : {}),
    updated_at: seconds(updated_at),
  }
}

const seconds = (date: Date): number => Math.floor(date.getTime() / 1000)
