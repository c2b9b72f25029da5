import { decodeJwt } from 'jose'
import { type Identity, TokenError } from '../identity/identity.ts'
import type { Claims, Clock } from '../kernel/service.ts'
import { ChannelError } from './errors.ts'

/** A verified credential and its expiry. */
export type Bearer = {
  readonly credential: string
  readonly claims: Claims
  /** Seconds since the epoch; null for an API key. */
  readonly expiresAt: number | null
}

export const isApiKey = (credential: string) => credential.startsWith('sb_')

/** Verifies an API key or access token like upstream's channels (ChannelsAuthorization).
 *  @param isForeign Whether the client is a page of another machine: those can't use secret keys.
 *  @throws {ChannelError} with the text shown to the subscriber. */
export async function verifyBearer(
  credential: string,
  { identity, clock }: { readonly identity: Identity; readonly clock: Clock },
  isForeign: boolean,
): Promise<Bearer> {
  const { role, claims } = await verify(credential, identity, clock)
  if (isForeign && role === 'service_role') throw new ChannelError('Unauthorized', FOREIGN)
  const { exp } = claims
  if (isApiKey(credential)) return { credential, claims, expiresAt: null }
  if (typeof exp !== 'number') throw new ChannelError('InvalidJWTToken')
  const bearer = { credential, claims, expiresAt: Math.round(exp) }
  const overdue = secondsOverdue(bearer, clock)
  if (overdue >= 0) throw expired(overdue)
  return bearer
}

const FOREIGN =
  'Web pages of other machines cannot use the secret key. If the page is yours, add its address to allowed_origins in supabase/undock.toml.'

async function verify(credential: string, identity: Identity, clock: Clock) {
  try {
    return await identity.verify(credential)
  } catch (error) {
    if (!(error instanceof TokenError)) throw error
    switch (error.fault) {
      case 'expired':
        throw expired(Math.floor(clock.now().getTime() / 1000) - (unverifiedExpiry(credential) ?? 0), error)
      case 'signature':
        throw new ChannelError('JwtSignatureError', undefined, { cause: error })
      case 'claims':
        throw new ChannelError('InvalidJWTToken', undefined, { cause: error })
      default:
        throw new ChannelError('MalformedJWT', undefined, { cause: error })
    }
  }
}

/** Unverified: only used in the error message for an already refused token. */
function unverifiedExpiry(credential: string): number | undefined {
  try {
    return decodeJwt(credential).exp
  } catch {
    return undefined
  }
}

export const expired = (seconds: number, cause?: unknown) =>
  new ChannelError('InvalidJWTToken', `Token has expired ${Math.max(0, seconds)} seconds ago`, { cause })

/** Returns whole seconds since the token expired; negative while it's valid. */
export function secondsOverdue(bearer: Bearer, clock: Clock): number {
  return bearer.expiresAt === null ? -1 : Math.floor(clock.now().getTime() / 1000) - bearer.expiresAt
}
