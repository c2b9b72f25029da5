import type { JSONWebKeySet } from 'jose'
import type { Principal } from '../kernel/service.ts'
import { ServiceError } from '../kernel/service-error.ts'

/** Why a token was refused. Each service renders it in its own shape and status. */
export type TokenFault = 'malformed' | 'signature' | 'expired' | 'not_yet_valid' | 'claims'

export class TokenError extends ServiceError {
  readonly fault: TokenFault
  constructor(fault: TokenFault, message: string, options?: ErrorOptions) {
    super(fault, 401, message, options)
    this.name = 'TokenError'
    this.fault = fault
  }
}

/** Authenticates requests for all services, and signs the tokens that they issue. */
export type Identity = {
  readonly keys: ApiKeys
  /** The legacy shared secret, with which functions and older clients verify HS256 tokens. */
  readonly jwtSecret: string
  /** The `iss` of Auth's tokens. */
  readonly issuer: string
  /** Returns a request's credential like the gateway of `supabase start`: `Authorization` unless it's an `sb_` key,
   *  otherwise the header or query parameter `apikey`, or null. */
  credential(request: Request): string | null
  /** Returns the request's principal; `anon` without a credential. @throws {TokenError} */
  authenticate(request: Request): Promise<Principal>
  /** Authenticates with clock tolerance, by the project's keys (null), a secret, a JWK or a JWK set, and by API keys. */
  forDataApi(secret: Uint8Array | null): Identity['authenticate']
  /** Returns the principal of an API key or access token. @throws {TokenError} */
  verify(credential: string): Promise<Principal>
  /** Signs an access or ID token with the current signing key (ES256 by default), leaving the claims unchanged. */
  sign(claims: Readonly<Record<string, unknown>>): Promise<string>
  /** Returns the public parts of the asymmetric signing keys, current and previous. */
  jwks(): JSONWebKeySet
}

export type ApiKeys = {
  readonly publishable: string
  readonly secret: string
  /** Legacy HS256 tokens with the roles `anon` and `service_role`. */
  readonly anon: string
  readonly serviceRole: string
}
