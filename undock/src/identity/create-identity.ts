import { importJWK, type JWK, SignJWT } from 'jose'
import type { Config } from '../config/config.ts'
import type { Clock, Principal } from '../kernel/service.ts'
import { credentialOf } from './credential.ts'
import { type ApiKeys, type Identity, TokenError } from './identity.ts'
import { LOCAL_KEY_EXPIRY, LOCAL_KEY_ISSUER, LOCAL_SIGNING_KEY } from './local-keys.ts'
import { createTokenVerifier, keysOfSecret, principalOf, type TokenVerifier } from './token-verifier.ts'

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
  const verifyToken = createTokenVerifier(
    { secrets: [{ bytes: secretBytes, algorithms: ['HS256'] }], publicKeys },
    clock,
  )

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

  async function verifyWith(verifyToken: TokenVerifier, credential: string): Promise<Principal> {
    const known = opaque.get(credential)
    if (known) return known
    if (credential.startsWith('sb_')) throw new TokenError('signature', 'Unknown API key')
    return verifyToken(credential)
  }

  const authenticator =
    (verifyToken: TokenVerifier): Identity['authenticate'] =>
    async (request) => {
      const credential = credentialOf(request)
      return credential === null ? ANONYMOUS : verifyWith(verifyToken, credential)
    }

  return {
    keys,
    jwtSecret: config.jwt_secret,
    issuer: config.jwt_issuer,
    credential: credentialOf,
    authenticate: authenticator(verifyToken),
    verify: (credential) => verifyWith(verifyToken, credential),
    withSecret: (secret) => authenticator(createTokenVerifier(keysOfSecret(secret), clock)),
    sign,
    jwks: () => publicKeys,
  }
}

const ANONYMOUS: Principal = { role: 'anon', claims: { role: 'anon' } }

const copyKey = (key: Config['auth']['signing_keys'][number]): JWK => ({ ...key }) as JWK

function publicPart(key: JWK): JWK {
  const kept = Object.entries(key).filter(([member]) => !PRIVATE_MEMBERS.has(member))
  return { ...(Object.fromEntries(kept) as JWK), key_ops: ['verify'], use: 'sig' }
}
