import type { Identity } from '../identity/identity.ts'

/** The `Authorization` header that a function receives. The gateway of `supabase start` passes on a caller's own token.
 *  Without one, an opaque key in `apikey` is replaced by the token that it stands for, and any other key is copied.
 *  @returns null when the function receives no header
 *  @see supabase/cli internal/start/start.go (BearerToken) */
export function authorizationOf(headers: Headers, { keys }: Identity): string | null {
  const authorization = headers.get('authorization')
  // Clients repeat their API key in `Authorization`; an opaque key is accepted only in `apikey`.
  if (authorization && !authorization.startsWith('Bearer sb_')) return authorization
  const key = headers.get('apikey')
  if (key === keys.secret) return `Bearer ${keys.serviceRole}`
  if (key === keys.publishable) return `Bearer ${keys.anon}`
  return key || null
}
