import { findCaller } from '../access/callers.ts'
import type { Db } from '../database/db.ts'
import type { Identity } from '../identity/identity.ts'
import type { Clock, Principal } from '../kernel/service.ts'

/** What a caller's token is created from. */
export type CallerDeps = { readonly identity: Identity; readonly db: Db; readonly clock: Clock }

/** Seconds that a token for "view as" is valid. */
const TOKEN_LIFETIME = 600

/** Sets a request's key to a caller's. @param as Null for the secret key; otherwise a role or user, or `none` for no key, which no role can
 *  be called. @throws {AccessQuestionError} if there's no such role or user. */
export async function setKey(headers: Headers, as: string | null, deps: CallerDeps): Promise<void> {
  if (as === 'none') return
  const { keys } = deps.identity
  headers.set('apikey', as === null ? keys.secret : keys.publishable)
  if (as === null || as === 'anon') return
  headers.set('authorization', `Bearer ${await tokenFor(await findCaller(deps.db, as), deps)}`)
}

/** Signs a token by the services' clock, which may be ahead of the machine's.
 *  @param lifetime Seconds. */
export function tokenFor(
  { claims }: Principal,
  { identity, clock }: CallerDeps,
  lifetime: number = TOKEN_LIFETIME,
): Promise<string> {
  const now = Math.floor(clock.now().getTime() / 1_000)
  return identity.sign({ iss: identity.issuer, ...claims, iat: now, exp: now + lifetime })
}
