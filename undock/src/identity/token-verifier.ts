import {
  createLocalJWKSet,
  errors,
  type JSONWebKeySet,
  type JWK,
  type JWTPayload,
  type JWTVerifyOptions,
  type JWTVerifyResult,
  jwtVerify,
} from 'jose'
import { tryJson } from '../kernel/json.ts'
import type { Clock, Principal } from '../kernel/service.ts'
import { TokenError } from './identity.ts'

const MAX_TOKENS = 1_000

/** Caches verified signatures: ES256 takes longer than a read by key. The expiry is checked each time. */
class VerifiedTokens {
  readonly #principals = new Map<string, Principal>()
  readonly #clock: Clock

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get(token: string): Principal | undefined {
    const principal = this.#principals.get(token)
    if (!principal) return undefined
    const { exp } = principal.claims
    if (typeof exp === 'number' && exp * 1_000 <= this.#clock.now().getTime()) {
      this.#principals.delete(token)
      return undefined
    }
    return principal
  }

  set(token: string, principal: Principal): void {
    if (this.#principals.size >= MAX_TOKENS) {
      const [oldest] = this.#principals.keys()
      if (oldest !== undefined) this.#principals.delete(oldest)
    }
    this.#principals.set(token, principal)
  }
}

export type VerificationKeys = {
  readonly secrets: readonly Secret[]
  readonly publicKeys: JSONWebKeySet
}

type Secret = { readonly bytes: Uint8Array; readonly algorithms: readonly string[] }

export type TokenVerifier = (token: string) => Promise<Principal>

/** Verifies signature, expiry and types of the registered claims. @param clockTolerance Seconds. */
export function createTokenVerifier(
  { secrets, publicKeys }: VerificationKeys,
  clock: Clock,
  clockTolerance = 0,
): TokenVerifier {
  const keySet = createLocalJWKSet(publicKeys)
  const verified = new VerifiedTokens(clock)

  return async (token) => {
    const cached = verified.get(token)
    if (cached) return cached
    const options = { currentDate: clock.now(), clockTolerance }
    const algorithm = algorithmOf(token)
    const verification = algorithm.startsWith('HS')
      ? verifyWithSecrets(token, algorithm, options)
      : verifyWithKeySet(token, options)
    const { payload } = await verification.catch((error: unknown) => {
      throw tokenError(error)
    })
    const principal = principalOf(payload)
    verified.set(token, principal)
    return principal
  }

  async function verifyWithSecrets(
    token: string,
    algorithm: string,
    options: JWTVerifyOptions,
  ): Promise<JWTVerifyResult> {
    const candidates = secrets.filter(({ algorithms }) => algorithms.includes(algorithm))
    return firstThatFits(candidates, ({ bytes }) => jwtVerify(token, bytes, { ...options, algorithms: [algorithm] }))
  }

  async function verifyWithKeySet(token: string, options: JWTVerifyOptions): Promise<JWTVerifyResult> {
    try {
      return await jwtVerify(token, keySet, options)
    } catch (error) {
      if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error
      return firstThatFits(await Array.fromAsync(error), (key) => jwtVerify(token, key, options))
    }
  }
}

async function firstThatFits<Key>(
  keys: readonly Key[],
  verify: (key: Key) => Promise<JWTVerifyResult>,
): Promise<JWTVerifyResult> {
  for (const key of keys) {
    try {
      return await verify(key)
    } catch (error) {
      if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw error
    }
  }
  throw new errors.JWSSignatureVerificationFailed()
}

/** Returns a secret's keys: a JWK set, a JWK, or the bytes themselves (PostgREST Config.hs, parseSecret). */
export function keysOfSecret(secret: Uint8Array): VerificationKeys {
  const keys = parseKeys(secret)
  if (keys === null) return { secrets: [{ bytes: secret, algorithms: ['HS256'] }], publicKeys: { keys: [] } }
  return {
    secrets: keys.flatMap(({ kty, k, alg }) =>
      kty === 'oct' && typeof k === 'string'
        ? [{ bytes: Buffer.from(k, 'base64url'), algorithms: alg === undefined ? HMAC : [alg] }]
        : [],
    ),
    publicKeys: { keys: keys.filter(({ kty }) => kty !== 'oct') },
  }
}

const HMAC = ['HS256', 'HS384', 'HS512']

function parseKeys(secret: Uint8Array): JWK[] | null {
  const value = tryJson(Buffer.from(secret).toString())
  if (isKey(value)) return [value]
  const keys = typeof value === 'object' && value !== null && 'keys' in value ? value.keys : null
  return Array.isArray(keys) && keys.every(isKey) ? keys : null
}

const isKey = (value: unknown): value is JWK =>
  typeof value === 'object' && value !== null && 'kty' in value && typeof value.kty === 'string'

/** Tokens without a role act as `anon`, and policies see that role in the claims. */
export function principalOf(payload: JWTPayload): Principal {
  const role = typeof payload.role === 'string' && payload.role !== '' ? payload.role : 'anon'
  return { role, claims: { ...payload, role } }
}

/** The header's algorithm selects the keys, and keys restrict algorithms: a public key never counts as a shared secret. */
function algorithmOf(token: string): string {
  const [header = ''] = token.split('.', 1)
  const value = tryJson(Buffer.from(header, 'base64url').toString())
  return typeof value === 'object' && value && 'alg' in value && typeof value.alg === 'string' ? value.alg : ''
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
