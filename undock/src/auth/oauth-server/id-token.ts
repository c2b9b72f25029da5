import type { AuthDeps } from '../deps.ts'
import type { User } from '../user.ts'
import { scopesOf } from './scopes.ts'

/** Seconds. */
const LIFETIME = 3600

/** An ID token of OpenID Connect Core §2: who signed in, for a client's eyes, as far as its scopes go.
 *  @see supabase/auth internal/tokens/service.go, GenerateIDToken */
export function signIdToken(
  { identity, clock }: AuthDeps,
  user: User,
  clientId: string,
  scope: string,
  nonce: string,
): Promise<string> {
  const issuedAt = Math.floor(clock.now().getTime() / 1000)
  const scopes = scopesOf(scope)
  return identity.sign({
    iss: identity.issuer,
    sub: user.id,
    aud: [clientId],
    iat: issuedAt,
    exp: issuedAt + LIFETIME,
    auth_time: seconds(user.last_sign_in_at ?? clock.now()),
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

/** What the `profile` scope tells, in the words of OpenID Connect. */
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
