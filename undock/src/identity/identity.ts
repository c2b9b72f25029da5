import type { JSONWebKeySet } from 'jose'
import type { Principal } from '../kernel/service.ts'
import { ServiceError } from '../kernel/service-error.ts'
import type { ApiKeys } from './api-keys.ts'

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
  /** The legacy shared secret: functions and older clients verify HS256 tokens with it. */
  readonly jwtSecret: string
  /** The `iss` of the tokens that Auth issues. */
  readonly issuer: string
  /** The credential of a request, chosen like the gateway of `supabase start`: the header `Authorization` unless it has an `sb_`
   *  key, else the header or query parameter `apikey`; null when there is none. */
  credential(request: Request): string | null
  /** The request's principal; `anon` for a request without a credential. @throws {TokenError} */
  authenticate(request: Request): Promise<Principal>
  /** Authenticates as the Data API does, with clocks that may differ: with the project's keys (null), or those of a secret, a JWK or a JWK
   *  set. API keys stay valid. */
  forDataApi(secret: Uint8Array | null): Identity['authenticate']
  /** The principal of an API key or access token. @throws {TokenError} */
  verify(credential: string): Promise<Principal>
  /** Signs a user's access or ID token with the current signing key (ES256 by default). The claims are not changed. */
  sign(claims: Readonly<Record<string, unknown>>): Promise<string>
  /** The public parts of the asymmetric signing keys, current and previous. */
  jwks(): JSONWebKeySet
}
