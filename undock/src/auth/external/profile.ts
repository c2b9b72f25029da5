import type { Json } from '../params.ts'

export type ProvidedEmail = { readonly email: string; readonly verified: boolean; readonly primary: boolean }

/** What a provider tells of someone: claims for the identity, and their addresses. */
export type Profile = { readonly sub: string; readonly claims: Json; readonly emails: readonly ProvidedEmail[] }

export const claimText = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''

type Known = {
  iss: string
  sub: unknown
  name?: unknown
  picture?: unknown
  user_name?: unknown
  custom_claims?: Json
}

/** A profile in the words of upstream's providers; the old names stay beside the new ones, as apps rely on them. */
export function profileOf(known: Known, emails: readonly ProvidedEmail[]): Profile {
  const sub = claimText(known.sub)
  const name = claimText(known.name)
  const picture = claimText(known.picture)
  const userName = claimText(known.user_name)
  const claims = {
    iss: known.iss,
    sub,
    provider_id: sub,
    ...(name ? { name, full_name: name } : {}),
    ...(picture ? { picture, avatar_url: picture } : {}),
    ...(userName ? { user_name: userName, preferred_username: userName } : {}),
    ...(known.custom_claims && Object.keys(known.custom_claims).length > 0
      ? { custom_claims: known.custom_claims }
      : {}),
  }
  return { sub, claims, emails: emails.filter(({ email }) => email !== '') }
}

const STANDARD = new Set(['iss', 'sub', 'aud', 'exp', 'iat', 'nonce', 'at_hash', 'azp', 'auth_time'])

/** The claims of an ID token or of a userinfo endpoint that speaks OpenID Connect. */
export function oidcProfile(claims: Json, iss: string): Profile {
  const kept = Object.fromEntries(Object.entries(claims).filter(([name]) => !STANDARD.has(name)))
  const profile = profileOf({ iss, sub: claims.sub, name: claims.name, picture: claims.picture }, [
    {
      email: claimText(claims.email),
      verified: claims.email_verified === true || claims.email_verified === 'true',
      primary: true,
    },
  ])
  return { ...profile, claims: { ...kept, ...profile.claims } }
}

/** The identity's data: the claims with the address that counts. */
export function identityData({ claims, emails, sub }: Profile) {
  const chosen = emails.find(({ primary }) => primary) ?? emails.at(-1)
  return {
    ...claims,
    sub,
    ...(chosen ? { email: chosen.email.toLowerCase() } : {}),
    email_verified: chosen?.verified ?? false,
    phone_verified: false,
  }
}
