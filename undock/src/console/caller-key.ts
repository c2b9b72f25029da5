import { findCaller } from '../access/callers.ts'
import type { Db } from '../database/db.ts'
import type { Identity } from '../identity/identity.ts'

/** Seconds that a token for "view as" is valid. */
const TOKEN_LIFETIME = 600

/** Sets the key with which a request comes from somebody.
 *  @param as Null for the secret key; otherwise a role or a user, or `none` for no key, a name that no role can have.
 *  @throws {AccessQuestionError} for a name that is no role and no user. */
export async function setKey(
  headers: Headers,
  as: string | null,
  { identity, db }: { readonly identity: Identity; readonly db: Db },
): Promise<void> {
  if (as === 'none') return
  headers.set('apikey', as === null ? identity.keys.secret : identity.keys.publishable)
  if (as === null || as === 'anon') return
  const { claims } = await findCaller(db, as)
  const now = Math.floor(Date.now() / 1_000)
  const token = await identity.sign({ iss: identity.issuer, ...claims, iat: now, exp: now + TOKEN_LIFETIME })
  headers.set('authorization', `Bearer ${token}`)
}
