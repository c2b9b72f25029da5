import type { JWTPayload } from 'jose'
import type { Json } from '../models/params.ts'
import type { Profile } from './profile.ts'

export type ExchangeResult = {
  /** Fetches JSON from the provider on the user's behalf. */
  ask(url: string, headers?: Readonly<Record<string, string>>): Promise<Json>
  /** Checks an ID token's signature, expiry, issuer and audience. */
  verify(idToken: string, issuer: string): Promise<JWTPayload>
  readonly accessToken: string
  readonly idToken: string | null
  readonly answer: Json
  readonly params: URLSearchParams
  readonly clientId: string
  readonly secret: string
}

type Provider = {
  readonly authorizeUrl: string
  readonly tokenUrl: string
  readonly scopes: readonly string[]
  readonly requestTokenUrl?: string
  readonly extra?: Readonly<Record<string, string>>
  /** Whether client id and secret are sent in RFC 6749 §2.3.1's header instead of the form. */
  readonly basic?: boolean
  /** Whether the provider supports PKCE (RFC 7636) between authorization and code exchange. */
  readonly pkce?: boolean
  profile(result: ExchangeResult): Promise<Profile>
}

/** @param url The configured host, or empty for the provider's own. */
export type ProviderFactory = (url: string) => Provider

export const hostOf = (url: string, fallback: string): string => (url || `https://${fallback}`).replace(/\/+$/, '')

/** Returns the claims of the token response's ID token. */
export async function idTokenOf({ idToken, verify }: ExchangeResult, issuer: string): Promise<JWTPayload> {
  if (!idToken) throw new Error('the answer holds no ID token')
  return verify(idToken, issuer)
}

export type KnownProvider = Provider & {
  readonly clientId: string
  readonly secret: string
  readonly emailOptional: boolean
  readonly scopesReplaced?: boolean
}
