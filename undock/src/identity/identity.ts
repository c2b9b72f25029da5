import type { JSONWebKeySet } from 'jose'
import type { Principal } from '../kernel/service.ts'

/** Why a token was refused. Each service renders it in its own shape and status. */
export type TokenFault = 'malformed' | 'signature' | 'expired' | 'not_yet_valid' | 'claims'

export class TokenError extends Error {
  readonly fault: TokenFault
  constructor(fault: TokenFault, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'TokenError'
    this.fault = fault
  }
}

export type ApiKeys = {
  readonly publishable: string
  readonly secret: string
  /** Legacy HS256 tokens with the roles `anon` and `service_role`. */
  readonly anon: string
  readonly serviceRole: string
}

/** Answers "who is asking" for every service, and signs what they issue. */
export type Identity = {
  readonly keys: ApiKeys
  /** The legacy shared secret: functions and older clients verify HS256 tokens with it. */
  readonly jwtSecret: string
  /** The `iss` of the tokens that Auth issues. */
  readonly issuer: string
  /** The credential that a request carries, as the gateway of `supabase start` picks it: `Authorization`
   *  unless it holds an `sb_` key, else the `apikey` header or query parameter. Null when there is none. */
  credential(request: Request): string | null
  /** The request's principal; `anon` when it carries no credential. @throws {TokenError} */
  authenticate(request: Request): Promise<Principal>
  /** The principal behind one API key or access token. @throws {TokenError} */
  verify(credential: string): Promise<Principal>
  /** Signs a user's access or ID token with the current signing key (ES256 by default). Claims are taken as they are. */
  sign(claims: Readonly<Record<string, unknown>>): Promise<string>
  /** Public keys of the asymmetric signing keys, current and previous. */
  jwks(): JSONWebKeySet
}
