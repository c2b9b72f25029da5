import { authError } from '../errors.ts'
import type { Json } from '../models/params.ts'

export type ProvidedEmail = { readonly email: string; readonly verified: boolean; readonly primary: boolean }

/** A provider's data about a user: claims for the identity, and the user's addresses. */
export type Profile = { readonly sub: string; readonly claims: Json; readonly emails: readonly ProvidedEmail[] }

export const claimText = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''

// Upstream writes each of these claims under two names, and apps rely on both.

export const nameClaims = (name: unknown) => ({ name: claimText(name), full_name: claimText(name) })

export const pictureClaims = (url: unknown) => ({ picture: claimText(url), avatar_url: claimText(url) })

export const usernameClaims = (handle: unknown) => ({
  preferred_username: claimText(handle),
  user_name: claimText(handle),
})

/** Makes a profile from claims, without empty ones. */
export function profileOf(
  { iss, sub: id, ...known }: { iss: string; sub: unknown; [claim: string]: unknown },
  emails: readonly ProvidedEmail[],
): Profile {
  const sub = claimText(id)
  const isPresent = ([, value]: [string, unknown]) =>
    value !== '' && value !== null && value !== undefined && !isEmptyObject(value)
  const present = Object.fromEntries(Object.entries(known).filter(isPresent))
  return { sub, claims: { iss, sub, provider_id: sub, ...present }, emails: emails.filter(({ email }) => email !== '') }
}

const isEmptyObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0

/** Returns a list with the user's only address, or an empty one. */
export const onlyEmail = (email: unknown, { verified }: { readonly verified: boolean }): ProvidedEmail[] => [
  { email: claimText(email), verified, primary: true },
]

export const isTrue = (value: unknown): boolean => value === true || value === 'true' || value === '1'

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

/** Returns the raw claims that an identity can store. */
export const identityClaims = (claims: Json): Json =>
  Object.fromEntries(
    ['sub', 'email', 'email_verified', ...STANDARD].flatMap((name) => (name in claims ? [[name, claims[name]]] : [])),
  )

/** Reads the claims of an OpenID Connect ID token or userinfo endpoint. */
export function oidcProfile(claims: Json, iss: string): Profile {
  const { sub, email: _email, email_verified: _verified, ...kept } = identityClaims(claims)
  return profileOf({ iss, sub, ...kept }, onlyEmail(claims.email, { verified: isTrue(claims.email_verified) }))
}

/** Limits of Postgres' indexes, and of the column. */
const MAX_ID_BYTES = 1024
const MAX_EMAIL_BYTES = 255

/** Providers may assert what they haven't verified: a company's own provider asserts whatever the company likes. */
function checkAsserted(what: string, text: string, most: number): void {
  if (Buffer.byteLength(text) > most) throw authError('assertedTooLong', [what, most])
  if (/\p{Cc}|\p{Zl}|\p{Zp}/u.test(text)) throw authError('assertedControl', [what])
}

/** Returns the identity's data: the claims with the primary address.
 *  @throws `validation_failed` for an invalid id or address */
export function identityData({ claims, emails, sub }: Profile) {
  const chosen = emails.find(({ primary }) => primary) ?? emails.at(-1)
  checkAsserted('a user id', sub, MAX_ID_BYTES)
  if (chosen) checkAsserted('an email address', chosen.email, MAX_EMAIL_BYTES)
  return {
    ...claims,
    sub,
    ...(chosen ? { email: chosen.email.toLowerCase() } : {}),
    email_verified: chosen?.verified ?? false,
    phone_verified: false,
  }
}
