import { decodeJwt, decodeProtectedHeader, errors } from 'jose'
import { type Identity, TokenError } from '../identity/identity.ts'
import type { Claims, Clock, Principal } from '../kernel/service.ts'
import type { ServiceError } from '../kernel/service-error.ts'
import { restError } from './errors.ts'
import { roleFromClaims } from './role-claim.ts'
import type { RestSettings } from './settings.ts'

export type Authenticate = (request: Request, settings: RestSettings) => Promise<Principal>

/** Returns a function that determines a request's caller and role. It throws PGRST300 without a key to verify tokens,
 *  PGRST301 for unreadable tokens, PGRST303 for invalid claims, PGRST302 for a refused anonymous caller. */
export function createAuthentication(identity: Identity, clock: Clock): Authenticate {
  let own: { readonly secret: Buffer | null; readonly authenticate: Identity['authenticate'] } | null = null

  /** Verifies with the project's keys or those of `jwt_secret`, whose verified tokens are cached until it changes. */
  function verifierOf(secret: Buffer | null): Identity['authenticate'] {
    const isKnown = own !== null && (secret === null ? own.secret === null : own.secret?.equals(secret))
    if (own === null || !isKnown) own = { secret, authenticate: identity.forDataApi(secret) }
    return own.authenticate
  }

  return async (request, { audience, anonRole, jwtSecret, roleClaim }) => {
    const credential = identity.credential(request)
    if (credential === null || isOfOtherScheme(credential)) return principalOf(anonRole, { role: anonRole ?? '' })
    if (/^bearer$/i.test(credential)) throw tokenError('Empty JWT is sent in Authorization header')
    if (jwtSecret?.length === 0) throw restError('PGRST300', [])
    let principal: Principal
    try {
      principal = await verifierOf(jwtSecret)(request)
    } catch (error) {
      if (error instanceof TokenError) throw tokenErrorResponse(error, credential)
      throw error
    }
    const { iat, aud } = principal.claims
    if (typeof iat === 'number' && iat > clock.now().getTime() / 1_000 + ALLOWED_SKEW)
      throw claimsError('JWT issued at future')
    if (!isAudienceClaim(aud)) throw claimsError(wrongType('aud', 'string or an array of strings'))
    if (audience !== null && !matchesAudience(aud, audience)) throw claimsError('JWT not in audience')
    const isWithoutRole = anonRole !== 'anon' && namesNoRole(principal, credential)
    const role = isWithoutRole ? null : roleFromClaims(principal.claims, roleClaim)
    return principalOf(role ?? anonRole, principal.claims)
  }
}

/** Seconds that a token issuer's clock may be ahead (PostgREST Auth/Jwt.hs). */
const ALLOWED_SKEW = 30

/** Other schemes contain a space, like `Basic …`: PostgREST treats all but bearer tokens as anonymous. */
const isOfOtherScheme = (credential: string): boolean => credential.includes(' ')

/** The identity gives `anon` to tokens without a role; here the settings decide instead. */
const namesNoRole = ({ role }: Principal, credential: string): boolean =>
  role === 'anon' && credential.includes('.') && decodeJwt(credential).role === undefined

function principalOf(role: string | null, claims: Claims): Principal {
  if (role === null) throw restError('PGRST302', [], { headers: { 'www-authenticate': 'Bearer' } })
  return { role, claims }
}

const isAudienceClaim = (claim: unknown): boolean =>
  claim === undefined ||
  claim === null ||
  typeof claim === 'string' ||
  (Array.isArray(claim) && claim.every((one) => typeof one === 'string'))

function matchesAudience(claim: unknown, audience: string): boolean {
  if (claim === undefined || claim === null) return true
  if (Array.isArray(claim)) return claim.length === 0 || claim.includes(audience)
  return claim === audience
}

function tokenErrorResponse({ fault, message, cause }: TokenError, credential: string): ServiceError {
  switch (fault) {
    case 'malformed': {
      if (cause instanceof errors.JWTInvalid) return claimsError('Parsing claims failed')
      if (isUnsecured(credential))
        return tokenError(
          'Wrong or unsupported encoding algorithm',
          "JWT is unsecured but expected 'alg' was not 'none'",
        )
      const parts = credential.split('.').length
      return tokenError(parts === 3 ? 'JWT cryptographic operation failed' : `Expected 3 parts in JWT; got ${parts}`)
    }
    case 'signature':
      return tokenError('No suitable key or wrong key type', 'None of the keys was able to decode the JWT')
    case 'expired':
      return claimsError('JWT expired')
    case 'not_yet_valid':
      return claimsError('JWT not yet valid')
    case 'claims':
      return claimsError(cause instanceof errors.JWTClaimValidationFailed ? wrongType(cause.claim, 'number') : message)
  }
}

function isUnsecured(token: string): boolean {
  try {
    return decodeProtectedHeader(token).alg === 'none'
  } catch {
    return false
  }
}

const wrongType = (claim: string, kind: string): string => `The JWT '${claim}' claim must be a ${kind}`

const tokenError = (message: string, details: string | null = null): ServiceError =>
  restError('PGRST301', [message], { details, headers: challenge(message) })

const claimsError = (message: string): ServiceError => restError('PGRST303', [message], { headers: challenge(message) })

const challenge = (message: string): Record<string, string> => ({
  'www-authenticate': `Bearer error="invalid_token", error_description=${JSON.stringify(message)}`,
})
