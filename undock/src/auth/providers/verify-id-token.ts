import { createRemoteJWKSet, customFetch, type JWTPayload, jwtVerify } from 'jose'
import { z } from 'zod'
import type { AuthDeps } from '../deps.ts'

/** Signatures that upstream's library (go-oidc) accepts. A key's type decides which of them it can make. */
const ALGORITHMS = 'RS256 RS384 RS512 ES256 ES384 ES512 PS256 PS384 PS512 EdDSA'.split(' ')

const Discovery = z.object({ issuer: z.string(), jwks_uri: z.url() })

type KeySet = ReturnType<typeof createRemoteJWKSet>

/** Issuers' key sets by address. A set refetches its keys when it meets an unknown one. */
const known = new WeakMap<typeof globalThis.fetch, Map<string, KeySet>>()

type Verifier = Pick<AuthDeps, 'clock' | 'fetch'>

/** @param discoveryUrl The issuer's discovery document, if not at the standard address.
 *  @throws an error that says what's wrong with the token */
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
  // Not our request's time: the token may have been issued since.
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

export function audienceOf({ aud }: JWTPayload, clientIds: readonly string[]): string | null {
  const audiences = [aud ?? []].flat()
  return clientIds.map((id) => id.trim()).find((id) => id !== '' && audiences.includes(id)) ?? null
}
