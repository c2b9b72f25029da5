import { decodeJwt } from 'jose'
import { type Identity, TokenError } from '../identity/identity.ts'
import type { Claims, Clock } from '../kernel/service.ts'
import { ChannelError } from './errors.ts'

/** The verified credential of a socket or channel, and when it expires. */
export type Bearer = {
  readonly credential: string
  readonly claims: Claims
  /** Seconds since the epoch; null for an API key, which does not expire. */
  readonly expiresAt: number | null
}

export const isApiKey = (credential: string) => credential.startsWith('sb_')

/** Verifies an API key or access token as upstream's channels do (ChannelsAuthorization).
 *  @param isForeign Whether the client is a web page of another machine: it may not use what opens everything.
 *  @throws {ChannelError} with the text that a subscriber sees. */
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
  'A web page of another machine may not use the secret key. If it is your own page, add its address to allowed_origins in supabase/undock.toml.'

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

/** Only for the message that says how long ago it expired: the token has been refused already. */
function unverifiedExpiry(credential: string): number | undefined {
  try {
    return decodeJwt(credential).exp
  } catch {
    return undefined
  }
}

export const expired = (seconds: number, cause?: unknown) =>
  new ChannelError('InvalidJWTToken', `Token has expired ${Math.max(0, seconds)} seconds ago`, { cause })

/** Whole seconds since the token expired; negative while it is valid. */
export function secondsOverdue(bearer: Bearer, clock: Clock): number {
  return bearer.expiresAt === null ? -1 : Math.floor(clock.now().getTime() / 1000) - bearer.expiresAt
}
