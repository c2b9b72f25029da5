import type { Json } from '../params.ts'

export type ProvidedEmail = { readonly email: string; readonly verified: boolean; readonly primary: boolean }

/** What a provider tells of someone: claims for the identity, and their addresses. */
export type Profile = { readonly sub: string; readonly claims: Json; readonly emails: readonly ProvidedEmail[] }

export const claimText = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''

// Upstream writes each of these under two names, and apps rely on both.

export const named = (name: unknown) => ({ name: claimText(name), full_name: claimText(name) })

export const pictured = (url: unknown) => ({ picture: claimText(url), avatar_url: claimText(url) })

export const handled = (handle: unknown) => ({
  preferred_username: claimText(handle),
  user_name: claimText(handle),
})

/** A profile of claims; those that are empty are left out. */
export function profileOf(
  { iss, sub: id, ...known }: { iss: string; sub: unknown; [claim: string]: unknown },
  emails: readonly ProvidedEmail[],
): Profile {
  const sub = claimText(id)
  const isTold = ([, value]: [string, unknown]) =>
    value !== '' && value !== null && value !== undefined && !isEmptyObject(value)
  const told = Object.fromEntries(Object.entries(known).filter(isTold))
  return { sub, claims: { iss, sub, provider_id: sub, ...told }, emails: emails.filter(({ email }) => email !== '') }
}

const isEmptyObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0

/** The one address of someone, where the provider tells of one. */
export const onlyEmail = (email: unknown, verified: boolean): ProvidedEmail[] => [
  { email: claimText(email), verified, primary: true },
]

export const isTrue = (value: unknown): boolean => value === true || value === 'true' || value === '1'

/** The claims of OpenID Connect that are kept as they are. */
const STANDARD = [
  'name',
  'family_name',
  'given_name',
  'middle_name',
  'nickname',
  'preferred_username',
  'profile',
  'picture',
  'website',
  'gender',
  'birthdate',
  'zoneinfo',
  'locale',
  'updated_at',
  'phone',
  'full_name',
  'avatar_url',
  'slug',
  'user_name',
  'custom_claims',
] as const

/** Of raw claims those that an identity has a place for. */
export const identityClaims = (claims: Json): Json =>
  Object.fromEntries(
    ['sub', 'email', 'email_verified', ...STANDARD].flatMap((name) => (name in claims ? [[name, claims[name]]] : [])),
  )

/** The claims of an ID token or of a userinfo endpoint that speaks OpenID Connect. */
export function oidcProfile(claims: Json, iss: string): Profile {
  const { sub, email: _email, email_verified: _verified, ...kept } = identityClaims(claims)
  return profileOf({ iss, sub, ...kept }, onlyEmail(claims.email, isTrue(claims.email_verified)))
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
