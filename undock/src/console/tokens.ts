import { decodeJwt, decodeProtectedHeader } from 'jose'
import { z } from 'zod'
import { type Identity, TokenError } from '../identity/identity.ts'

/** An access token or an API key, as a person has pasted it. */
export const Credential = z.strictObject({ token: z.string().trim().min(1).max(65_536) })

/** @property header Null for what is no token, such as a publishable key. @property claims Likewise, of an API key that is valid
 *  those that a request with it has.
 *  @property role What a request with it acts as; null when it is refused.
 *  @property refusal Why every service refuses it; null when it is valid. */
export type TokenReport = {
  readonly header: Readonly<Record<string, unknown>> | null
  readonly claims: Readonly<Record<string, unknown>> | null
  readonly role: string | null
  readonly refusal: string | null
}

/** Decodes a token, and verifies it with the project's keys. */
export async function readToken(identity: Identity, { token }: z.infer<typeof Credential>): Promise<TokenReport> {
  const decoded = decode(token)
  try {
    const { role, claims } = await identity.verify(token)
    return { header: decoded?.header ?? null, claims: decoded?.claims ?? claims, role, refusal: null }
  } catch (error) {
    if (!(error instanceof TokenError)) throw error
    return { header: decoded?.header ?? null, claims: decoded?.claims ?? null, role: null, refusal: error.message }
  }
}

function decode(token: string): { header: Record<string, unknown>; claims: Record<string, unknown> } | null {
  try {
    return { header: { ...decodeProtectedHeader(token) }, claims: decodeJwt(token) }
  } catch {
    return null
  }
}
