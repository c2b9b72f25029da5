import type { JWTPayload } from 'jose'
import type { Json } from '../../params.ts'
import type { Profile } from '../profile.ts'

/** What came of the code's exchange, and ways to learn more. */
export type Told = {
  /** Reads JSON from the provider on behalf of who signs in. */
  ask(url: string, headers?: Readonly<Record<string, string>>): Promise<Json>
  /** Checks an ID token's signature, time, issuer and that it is for this app. */
  verify(idToken: string, issuer: string): Promise<JWTPayload>
  readonly accessToken: string
  readonly idToken: string | null
  /** The token endpoint's whole answer. */
  readonly answer: Json
  /** What the provider sent people back with. */
  readonly params: URLSearchParams
  readonly clientId: string
  readonly secret: string
}

/** Where a provider's endpoints are, what is asked of it, and how it tells of someone. */
export type Provider = {
  readonly authorizeUrl: string
  readonly tokenUrl: string
  readonly scopes: readonly string[]
  /** Of a provider that speaks OAuth 1.0a. */
  readonly requestTokenUrl?: string
  /** More that the authorization endpoint wants to hear. */
  readonly extra?: Readonly<Record<string, string>>
  /** The client's id and secret go in the header of RFC 6749 §2.3.1 instead of the form. */
  readonly basic?: boolean
  /** Between the code's exchange and its start, proved by PKCE (RFC 7636). */
  readonly pkce?: boolean
  profile(told: Told): Promise<Profile>
}

/** @param url What the project set in place of the provider's own host; empty for none. */
export type Make = (url: string) => Provider

export const hostOf = (url: string, fallback: string): string => (url || `https://${fallback}`).replace(/\/+$/, '')

/** The claims of the ID token that came with the answer. */
export async function idTokenOf({ idToken, verify }: Told, issuer: string): Promise<JWTPayload> {
  if (!idToken) throw new Error('the answer holds no ID token')
  return verify(idToken, issuer)
}
