import { sha256 } from '@noble/hashes/sha2.js'

export const randomUUID = (): string => crypto.randomUUID()

/** Node's `hash`, for the only algorithm that is asked for. */
export function hash(_algorithm: 'sha256', text: string, _encoding: 'base64url'): string {
  const digest = String.fromCharCode(...sha256(new TextEncoder().encode(text)))
  return btoa(digest).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}
