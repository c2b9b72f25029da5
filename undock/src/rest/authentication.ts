import { decodeJwt, errors } from 'jose'
import { type Identity, TokenError } from '../identity/identity.ts'
import type { Claims, Principal } from '../kernel/service.ts'
import type { ServiceError } from '../kernel/service-error.ts'
import { restError } from './errors.ts'
import { roleIn } from './role-claim.ts'
import type { RestSettings } from './settings.ts'

/** @throws PGRST300 for a token that nobody can verify, PGRST301 for one that cannot be read, PGRST303 for one whose claims
 *  do not hold; PGRST302 for somebody without a role where there is none for such. */
export async function authenticate(
  request: Request,
  identity: Identity,
  { audience, anonRole, hasSecret, roleClaim }: RestSettings,
): Promise<Principal> {
  const credential = identity.credential(request)
  if (credential === null || isOfOtherScheme(credential)) return actAs(anonRole, { role: anonRole ?? '' })
  if (/^bearer$/i.test(credential)) throw tokenRefusal('Empty JWT is sent in Authorization header')
  if (!hasSecret) throw restError('PGRST300', [])
  let principal: Principal
  try {
    principal = await identity.authenticate(request)
  } catch (error) {
    if (error instanceof TokenError) throw refusal(error, credential)
    throw error
  }
  if (!isAudience(principal.claims.aud)) throw claimsRefusal(notA('aud', 'string or an array of strings'))
  if (audience !== null && !isMeantFor(principal.claims.aud, audience)) throw claimsRefusal('JWT not in audience')
  const role =
    roleClaim === null || (anonRole !== 'anon' && isUnnamed(principal, credential))
      ? null
      : roleIn(principal.claims, roleClaim)
  return actAs(role ?? anonRole, principal.claims)
}

/** `Basic` and the like, which come with a space: PostgREST reads bearers only, and everybody else is nobody. */
const isOfOtherScheme = (credential: string): boolean => credential.includes(' ')

/** The identity takes who names no role for `anon`; here the settings say who that is. */
const isUnnamed = ({ role }: Principal, credential: string): boolean =>
  role === 'anon' && credential.includes('.') && decodeJwt(credential).role === undefined

function actAs(role: string | null, claims: Claims): Principal {
  if (role === null) throw restError('PGRST302', [], { headers: { 'www-authenticate': 'Bearer' } })
  return { role, claims }
}

const isAudience = (claim: unknown): boolean =>
  claim === undefined ||
  claim === null ||
  typeof claim === 'string' ||
  (Array.isArray(claim) && claim.every((one) => typeof one === 'string'))

function isMeantFor(claim: unknown, audience: string): boolean {
  if (claim === undefined || claim === null) return true
  if (Array.isArray(claim)) return claim.length === 0 || claim.includes(audience)
  return claim === audience
}

function refusal({ fault, message, cause }: TokenError, credential: string): ServiceError {
  switch (fault) {
    case 'malformed': {
      if (cause instanceof errors.JWTInvalid) return claimsRefusal('Parsing claims failed')
      const parts = credential.split('.').length
      return tokenRefusal(parts === 3 ? 'JWT cryptographic operation failed' : `Expected 3 parts in JWT; got ${parts}`)
    }
    case 'signature':
      return tokenRefusal('No suitable key or wrong key type', 'None of the keys was able to decode the JWT')
    case 'expired':
      return claimsRefusal('JWT expired')
    case 'not_yet_valid':
      return claimsRefusal('JWT not yet valid')
    case 'claims':
      return claimsRefusal(cause instanceof errors.JWTClaimValidationFailed ? notA(cause.claim, 'number') : message)
  }
}

const notA = (claim: string, kind: string): string => `The JWT '${claim}' claim must be a ${kind}`

const tokenRefusal = (message: string, details: string | null = null): ServiceError =>
  restError('PGRST301', [message], { details, headers: challenge(message) })

const claimsRefusal = (message: string): ServiceError =>
  restError('PGRST303', [message], { headers: challenge(message) })

const challenge = (message: string): Record<string, string> => ({
  'www-authenticate': `Bearer error="invalid_token", error_description=${JSON.stringify(message)}`,
})
