import { createLocalJWKSet, errors, importJWK, type JWK, type JWTPayload, jwtVerify, SignJWT } from 'jose'
import type { Config } from '../config/config.ts'
import type { Clock, Principal } from '../kernel/service.ts'
import { credentialOf } from './credential.ts'
import { type ApiKeys, type Identity, TokenError } from './identity.ts'
import { LOCAL_KEY_EXPIRY, LOCAL_KEY_ISSUER, LOCAL_SIGNING_KEY } from './local-keys.ts'
import { VerifiedTokens } from './verified-tokens.ts'

export type IdentityOptions = {
  readonly config: Pick<
    Config['auth'],
    'jwt_secret' | 'jwt_issuer' | 'signing_keys' | 'publishable_key' | 'secret_key' | 'anon_key' | 'service_role_key'
  >
  readonly clock: Clock
}

const PRIVATE_MEMBERS = new Set(['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'])

/** Creates the keys and verifies tokens. The first signing key signs; all of them verify, and so does HS256 with the legacy secret.
 *  @throws when a signing key is not a usable ES256 or RS256 key. */
export async function createIdentity({ config, clock }: IdentityOptions): Promise<Identity> {
  const secretBytes = new TextEncoder().encode(config.jwt_secret)
  const signingKeys: JWK[] = config.signing_keys.length > 0 ? config.signing_keys.map(copyKey) : [LOCAL_SIGNING_KEY]
  const current = signingKeys[0] as JWK
  const algorithm = current.alg ?? 'ES256'
  const privateKey = await importJWK({ ...current, key_ops: ['sign'] }, algorithm)
  const publicKeys = { keys: signingKeys.map(publicPart) }
  const keySet = createLocalJWKSet(publicKeys)
  const verified = new VerifiedTokens(clock)

  const sign: Identity['sign'] = (claims) =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: algorithm, typ: 'JWT', ...(current.kid ? { kid: current.kid } : {}) })
      .sign(privateKey)

  async function apiToken(role: 'anon' | 'service_role'): Promise<string> {
    const claims = { iss: LOCAL_KEY_ISSUER, role, exp: LOCAL_KEY_EXPIRY }
    if (config.signing_keys.length > 0) return sign(claims)
    return new SignJWT(claims).setProtectedHeader({ alg: 'HS256', typ: 'JWT' }).sign(secretBytes)
  }

  const keys: ApiKeys = {
    publishable: config.publishable_key,
    secret: config.secret_key,
    anon: config.anon_key || (await apiToken('anon')),
    serviceRole: config.service_role_key || (await apiToken('service_role')),
  }
  // An opaque key has the same role and claims as the legacy token.
  const opaque = new Map<string, Principal>([
    [keys.publishable, principalOf({ iss: LOCAL_KEY_ISSUER, role: 'anon', exp: LOCAL_KEY_EXPIRY })],
    [keys.secret, principalOf({ iss: LOCAL_KEY_ISSUER, role: 'service_role', exp: LOCAL_KEY_EXPIRY })],
  ])

  async function verify(credential: string): Promise<Principal> {
    const known = opaque.get(credential) ?? verified.get(credential)
    if (known) return known
    if (credential.startsWith('sb_')) throw new TokenError('signature', 'Unknown API key')
    const { payload } = await verifySignature(credential).catch((error: unknown) => {
      throw tokenError(error)
    })
    const principal = principalOf(payload)
    verified.set(credential, principal)
    return principal
  }

  function verifySignature(token: string) {
    const options = { currentDate: clock.now(), clockTolerance: 30 }
    return usesSharedSecret(token)
      ? jwtVerify(token, secretBytes, { ...options, algorithms: ['HS256'] })
      : jwtVerify(token, keySet, { ...options, algorithms: ['ES256', 'RS256'] })
  }

  return {
    keys,
    jwtSecret: config.jwt_secret,
    issuer: config.jwt_issuer,
    credential: credentialOf,
    async authenticate(request) {
      const credential = credentialOf(request)
      return credential === null ? ANONYMOUS : verify(credential)
    },
    verify,
    sign,
    jwks: () => publicKeys,
  }
}

const ANONYMOUS: Principal = { role: 'anon', claims: { role: 'anon' } }

/** A token without a role acts as `anon`, and policies see that role in its claims. */
function principalOf(payload: JWTPayload): Principal {
  const role = typeof payload.role === 'string' && payload.role !== '' ? payload.role : 'anon'
  return { role, claims: { ...payload, role } }
}

/** The header's algorithm decides which key is used, and each verification allows only algorithms for that key, so a token cannot make a
 *  public key count as a shared secret. */
function usesSharedSecret(token: string): boolean {
  const [header = ''] = token.split('.', 1)
  try {
    return (JSON.parse(Buffer.from(header, 'base64url').toString()) as { alg?: unknown }).alg === 'HS256'
  } catch {
    return false
  }
}

const copyKey = (key: Config['auth']['signing_keys'][number]): JWK => ({ ...key }) as JWK

function publicPart(key: JWK): JWK {
  const kept = Object.entries(key).filter(([member]) => !PRIVATE_MEMBERS.has(member))
  return { ...(Object.fromEntries(kept) as JWK), key_ops: ['verify'], use: 'sig' }
}

function tokenError(cause: unknown): TokenError {
  if (cause instanceof errors.JWTExpired) return new TokenError('expired', 'JWT expired', { cause })
  if (cause instanceof errors.JWTClaimValidationFailed) {
    return cause.claim === 'nbf' && cause.reason === 'check_failed'
      ? new TokenError('not_yet_valid', 'JWT not yet valid', { cause })
      : new TokenError('claims', cause.message, { cause })
  }
  if (cause instanceof errors.JWSSignatureVerificationFailed || cause instanceof errors.JWKSNoMatchingKey) {
    return new TokenError('signature', 'JWT signature is invalid', { cause })
  }
  return new TokenError('malformed', cause instanceof Error ? cause.message : 'Invalid JWT', { cause })
}
