import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { execute, queryRows } from '../../database/db.ts'
import { authError } from '../errors.ts'
import type { Queryable } from '../models/auth-db.ts'
import { isUuid, object, text } from '../models/params.ts'

/** Seconds; upstream's default for GOTRUE_WEBAUTHN_CHALLENGE_EXPIRY_DURATION. */
const EXPIRY = 300

type Purpose = 'registration' | 'authentication'

export const PasskeyAnswer = z.object({ challenge_id: text, credential: object.nullish() })
export type PasskeyAnswer = z.infer<typeof PasskeyAnswer>

type Opened = { readonly challenge_id: string; readonly expires_at: number }

/** @param userId null for an unknown user. @returns `expires_at` in seconds since the epoch */
export async function insertPasskeyChallenge(
  db: Queryable,
  {
    purpose,
    userId,
    challenge,
    now,
  }: { readonly purpose: Purpose; readonly userId: string | null; readonly challenge: string; readonly now: Date },
): Promise<Opened> {
  const id = randomUUID()
  const expires = new Date(now.getTime() + EXPIRY * 1000)
  await execute(db)`insert into auth.webauthn_challenges (id, user_id, challenge_type, session_data, created_at,
    expires_at)
    values (${id}, ${userId}, ${purpose}, ${{ challenge, userVerification: 'preferred' }}, ${now}, ${expires})`
  return { challenge_id: id, expires_at: Math.floor(expires.getTime() / 1000) }
}

const SessionData = z.object({ challenge: z.string() })

/** Consumes a challenge and returns what had to be signed; of two concurrent answers, the second finds nothing.
 *  @throws `webauthn_challenge_not_found`, `webauthn_challenge_expired`, `validation_failed` */
export async function consumePasskeyChallenge(
  db: Queryable,
  {
    purpose,
    userId,
    answer: { challenge_id: id, credential },
    now,
  }: { readonly purpose: Purpose; readonly userId: string | null; readonly answer: PasskeyAnswer; readonly now: Date },
): Promise<{ challenge: string; credential: Record<string, unknown> }> {
  if (id === '') throw authError('passkeyChallengeMissing')
  if (!credential) throw authError('passkeyCredentialMissing')
  if (!isUuid(id)) throw authError('passkeyChallengeInvalid')
  const [found] = await queryRows<{ session_data: unknown; expires_at: Date }>(db)`delete from auth.webauthn_challenges
    where id = ${id} and challenge_type = ${purpose} and user_id is not distinct from ${userId}::uuid
    returning session_data, expires_at`
  if (!found) throw authError('passkeyChallengeUnknown')
  if (now > found.expires_at) throw authError('passkeyChallengeExpired')
  return { challenge: SessionData.parse(found.session_data).challenge, credential }
}
