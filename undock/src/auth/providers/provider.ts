import type { JWTPayload } from 'jose'
import type { Json } from '../models/params.ts'
import type { Profile } from './profile.ts'

/** The result of the code's exchange, and the requests by which a provider learns more about the user. */
export type ExchangeResult = {
  /** Fetches JSON from the provider on behalf of the user. */
  ask(url: string, headers?: Readonly<Record<string, string>>): Promise<Json>
  /** Checks an ID token's signature, expiry, issuer and audience. */
  verify(idToken: string, issuer: string): Promise<JWTPayload>
  readonly accessToken: string
  readonly idToken: string | null
  /** The token endpoint's complete response. */
  readonly answer: Json
  /** The parameters of the provider's redirect. */
  readonly params: URLSearchParams
  readonly clientId: string
  readonly secret: string
}

/** A provider's endpoints, the scopes that are requested, and how its answer becomes a profile. */
type Provider = {
  readonly authorizeUrl: string
  readonly tokenUrl: string
  readonly scopes: readonly string[]
  /** Set for a provider of OAuth 1.0a. */
  readonly requestTokenUrl?: string
  /** Additional parameters for the authorization endpoint. */
  readonly extra?: Readonly<Record<string, string>>
  /** Whether the client's id and secret are sent in the header of RFC 6749 §2.3.1 instead of the form. */
  readonly basic?: boolean
  /** Whether the provider supports PKCE (RFC 7636) between authorization and code exchange. */
  readonly pkce?: boolean
  profile(result: ExchangeResult): Promise<Profile>
}

/** @param url The host that the project configured instead of the provider's own; empty for none. */
export type ProviderFactory = (url: string) => Provider

export const hostOf = (url: string, fallback: string): string => (url || `https://${fallback}`).replace(/\/+$/, '')

/** The claims of the ID token in the token endpoint's response. */
export async function idTokenOf({ idToken, verify }: ExchangeResult, issuer: string): Promise<JWTPayload> {
  if (!idToken) throw new Error('the answer holds no ID token')
  return verify(idToken, issuer)
}

export type KnownProvider = Provider & {
  readonly clientId: string
  readonly secret: string
  readonly emailOptional: boolean
  /** Whether scopes that the caller names replace the provider's own instead of being added to them. */
  readonly scopesReplaced?: boolean
}
