import { createRemoteJWKSet, customFetch, type JWTPayload, jwtVerify } from 'jose'
import { z } from 'zod'
import type { AuthDeps } from '../deps.ts'

/** The signatures that upstream's library (go-oidc) accepts. A key's own type decides which of them it can make. */
const ALGORITHMS = 'RS256 RS384 RS512 ES256 ES384 ES512 PS256 PS384 PS512 EdDSA'.split(' ')

const Discovery = z.object({ issuer: z.string(), jwks_uri: z.url() })

type KeySet = ReturnType<typeof createRemoteJWKSet>

/** Key sets of known issuers, by their address. A set fetches its keys again when it meets an unknown key. */
const known = new WeakMap<typeof globalThis.fetch, Map<string, KeySet>>()

type Verifier = Pick<AuthDeps, 'clock' | 'fetch'>

/** @param discoveryUrl The address of the issuer's discovery document, where it is not the standard one.
 *  @throws an error that says what is wrong with the token */
export async function verifyIdToken(
  { clock, fetch }: Verifier,
  token: string,
  issuer: string,
  discoveryUrl = `${issuer.replace(/\/+$/, '')}/.well-known/openid-configuration`,
): Promise<JWTPayload> {
  const sets = known.get(fetch) ?? new Map<string, KeySet>()
  known.set(fetch, sets)
  const keys = sets.get(issuer) ?? (await discoverKeys(fetch, issuer, discoveryUrl))
  sets.set(issuer, keys)
  // The current time, not that of our request: the token may have been issued while the request was handled.
  const options = { issuer, currentDate: clock.now(), algorithms: ALGORITHMS }
  return (await jwtVerify(token, keys, options)).payload
}

async function discoverKeys(fetch: typeof globalThis.fetch, issuer: string, url: string): Promise<KeySet> {
  const response = await fetch(url, { signal: AbortSignal.timeout(10_000) })
  const document = Discovery.parse(await response.json())
  if (document.issuer !== issuer) throw new Error(`the issuer calls itself ${document.issuer}`)
  return createRemoteJWKSet(new URL(document.jwks_uri), {
    [customFetch]: (uri, init) => fetch(uri, init as RequestInit),
  })
}

/** The audience of a token must be one of ours. */
export function audienceOf({ aud }: JWTPayload, clientIds: readonly string[]): string | null {
  const audiences = [aud ?? []].flat()
  return clientIds.map((id) => id.trim()).find((id) => id !== '' && audiences.includes(id)) ?? null
}
