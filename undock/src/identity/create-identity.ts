import { importJWK, type JWK, SignJWT } from 'jose'
import type { Config } from '../config/config.ts'
import type { Clock, Principal } from '../kernel/service.ts'
import { type ApiKeys, type Identity, TokenError } from './identity.ts'
import { createTokenVerifier, keysOfSecret, principalOf, type TokenVerifier } from './token-verifier.ts'

// The keys of `supabase start` on every machine (supabase/cli pkg/config), besides the defaults of config.toml. A
// project's tests and saved sessions contain them. They protect nothing and must only be used on a local machine.

/** Seconds since the epoch, in 2032. */
const LOCAL_KEY_EXPIRY = 1_983_812_996
const LOCAL_KEY_ISSUER = 'supabase-demo'

const LOCAL_SIGNING_KEY: JWK = {
  kty: 'EC',
  kid: 'b81269f1-21d8-4f2e-b719-c2240a840d90',
  use: 'sig',
  key_ops: ['sign', 'verify'],
  alg: 'ES256',
  ext: true,
  crv: 'P-256',
  x: 'M5Sjqn5zwC9Kl1zVfUUGvv9boQjCGd45G8sdopBExB4',
  y: 'P6IXMvA2WYXSHSOMTBH2jsw_9rrzGy89FjPf6oOsIxQ',
  d: 'dIhR8wywJlqlua4y_yMq2SLhlFXDZJBCvFrY1DCHyVU',
}

/** Reads a request's credential like `supabase start`'s gateway: `Authorization`, unless it's an `sb_` key, then
 *  `apikey`.
 *  @see supabase/cli internal/start (the gateway's header rules). */
function credentialOf(request: Request): string | null {
  const authorization = request.headers.get('authorization')
  if (authorization && !/^Bearer sb_/i.test(authorization)) {
    const [scheme = '', token = ''] = authorization.split(/\s+/, 2)
    // Keep other schemes, so that they're refused as malformed instead of treated as anonymous.
    return scheme.toLowerCase() === 'bearer' && token ? token : authorization
  }
  const key = request.headers.get('apikey') ?? apikeyParameter(request.url) ?? bearerOf(authorization)
  return key || null
}

const bearerOf = (authorization: string | null): string | null => authorization?.slice('Bearer '.length).trim() ?? null

/** Only WebSockets pass the key in the URL, because browsers can't set their headers; other URLs aren't parsed. */
function apikeyParameter(url: string): string | null {
  return url.includes('apikey=') ? new URL(url).searchParams.get('apikey') : null
}

export type IdentityOptions = {
  readonly config: Pick<
    Config['auth'],
    'jwt_secret' | 'jwt_issuer' | 'signing_keys' | 'publishable_key' | 'secret_key' | 'anon_key' | 'service_role_key'
  >
  readonly clock: Clock
}

/** Seconds (PostgREST Auth/Jwt.hs). Auth and Storage have no tolerance. */
const DATA_API_TOLERANCE = 30

const PRIVATE_MEMBERS = new Set(['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'])

/** Creates the keys and verifies tokens. The first signing key signs; all of them and the legacy secret (HS256) verify.
 *  @throws for a signing key that isn't a usable ES256 or RS256 key. */
export async function createIdentity({ config, clock }: IdentityOptions): Promise<Identity> {
  const secretBytes = new TextEncoder().encode(config.jwt_secret)
  const signingKeys: JWK[] = config.signing_keys.length > 0 ? config.signing_keys.map(copyKey) : [LOCAL_SIGNING_KEY]
  const current = signingKeys[0] as JWK
  const algorithm = current.alg ?? 'ES256'
  const privateKey = await importJWK({ ...current, key_ops: ['sign'] }, algorithm)
  const publicKeys = { keys: signingKeys.map(publicPart) }
  const ownKeys = { secrets: [{ bytes: secretBytes, algorithms: ['HS256'] }], publicKeys }
  const verifyToken = createTokenVerifier(ownKeys, clock)

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
  const opaque = new Map<string, Principal>([
    [keys.publishable, principalOf({ iss: LOCAL_KEY_ISSUER, role: 'anon', exp: LOCAL_KEY_EXPIRY })],
    [keys.secret, principalOf({ iss: LOCAL_KEY_ISSUER, role: 'service_role', exp: LOCAL_KEY_EXPIRY })],
  ])

  async function verifyWith(verifyToken: TokenVerifier, credential: string): Promise<Principal> {
    const principal = opaque.get(credential)
    if (principal) return principal
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
    forDataApi: (secret) =>
      authenticator(createTokenVerifier(secret ? keysOfSecret(secret) : ownKeys, clock, DATA_API_TOLERANCE)),
    sign,
    jwks: () => publicKeys,
  }
}

const ANONYMOUS: Principal = { role: 'anon', claims: { role: 'anon' } }

const copyKey = (key: Config['auth']['signing_keys'][number]): JWK => ({ ...key }) as JWK

function publicPart(key: JWK): JWK {
  const members = Object.entries(key).filter(([member]) => !PRIVATE_MEMBERS.has(member))
  return { ...(Object.fromEntries(members) as JWK), key_ops: ['verify'], use: 'sig' }
}
