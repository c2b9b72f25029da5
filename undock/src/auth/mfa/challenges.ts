import { randomUUID } from 'node:crypto'
import { isIP } from 'node:net'
import { execute, queryRows } from '../../database/db.ts'
import type { AuthDeps } from '../deps.ts'
import { authError } from '../errors.ts'
import { callAttemptHook } from '../hooks/hooks.ts'
import type { AuthenticatedCall } from '../http/call.ts'
import { audit } from '../models/audit.ts'
import type { Queryable } from '../models/auth-db.ts'
import { isUuid, type Json } from '../models/params.ts'
import { deleteSessionsOf } from '../models/sessions.ts'
import type { Factor } from '../models/user.ts'

/** Seconds; upstream's default. */
export const CHALLENGE_EXPIRY = 300

export type Challenge = {
  readonly id: string
  readonly created_at: Date
  readonly verified_at: Date | null
  readonly ip_address: string
  readonly web_authn_session_data: Json | null
  readonly otp_code: string | null
}

export type Expected = { readonly webauthn?: Json; readonly code?: string }

/** Creates a challenge and records its time with the factor. @returns the challenge's id */
export async function insertChallenge(
  tx: Queryable,
  {
    factorId,
    address,
    now,
    expected = {},
  }: { readonly factorId: string; readonly address: string; readonly now: Date; readonly expected?: Expected },
): Promise<string> {
  const id = randomUUID()
  // First: inserting the challenge also locks the factor's row, so two challenges of a factor could deadlock.
  await touchFactor(tx, factorId, now)
  await execute(tx)`insert into auth.mfa_challenges (id, factor_id, created_at, ip_address, web_authn_session_data,
    otp_code)
    values (${id}, ${factorId}, ${now}, ${inetOf(address)}::inet, ${expected.webauthn ?? null}, ${expected.code ?? null})`
  return id
}

/** Records the time of a factor's last challenge. @param check Called with the previous one, by one request at a time. */
export async function touchFactor(
  tx: Queryable,
  id: string,
  now: Date,
  check: (last: Date | null) => void = () => undefined,
): Promise<void> {
  // Upstream's column is unique: the lock moves challenges of the same millisecond a microsecond apart.
  await execute(tx)`select pg_advisory_xact_lock(hashtextextended('auth.mfa_factors.last_challenged_at', 0))`
  const [factor] = await queryRows<{ last: Date | null }>(tx)`
    select last_challenged_at as last from auth.mfa_factors where id = ${id}`
  check(factor?.last ?? null)
  await execute(tx)`update auth.mfa_factors set updated_at = ${now}, last_challenged_at = coalesce((
      select max(last_challenged_at) + interval '1 microsecond' from auth.mfa_factors
      where last_challenged_at >= ${now} and last_challenged_at < ${now}::timestamptz + interval '1 millisecond'
    ), ${now}) where id = ${id}`
}

/** Finds a challenge that can still be answered, from the address that requested it.
 *  @throws `mfa_factor_not_found`, `mfa_challenge_expired`, `mfa_ip_address_mismatch` (as upstream, also if used) */
export async function findOpenChallenge(
  deps: AuthDeps,
  call: AuthenticatedCall,
  factor: Factor,
  id: string,
): Promise<Challenge> {
  if (!isUuid(id)) throw authError('challengeUnknown')
  const challenge = await deps.db.transaction(async (tx) => {
    const challenge = await lockOpen(tx, call, factor, id)
    const isExpired = call.now.getTime() > challenge.created_at.getTime() + CHALLENGE_EXPIRY * 1000
    if (isExpired) await deleteChallenge(tx, challenge.id)
    return isExpired ? null : challenge
  })
  if (!challenge) throw authError('challengeExpired', [id])
  return challenge
}

/** Marks a challenge as used, unless another request has answered it in the meantime.
 *  @param code For factors whose codes must not be accepted twice. */
export async function consumeChallenge(
  tx: Queryable,
  call: AuthenticatedCall,
  { factor, id, code = null }: { readonly factor: Factor; readonly id: string; readonly code?: string | null },
): Promise<void> {
  await lockOpen(tx, call, factor, id)
  await execute(tx)`update auth.mfa_challenges set verified_at = ${call.now}, otp_code = coalesce(${code}, otp_code)
    where id = ${id}`
  const traits = { factor_id: factor.id, challenge_id: id, factor_type: factor.factor_type }
  await audit(
    tx,
    { actor: call.caller.user, action: 'verification_attempted', traits, address: call.client.address },
    call.now,
  )
}

/** Returns whether an authenticator app's code was accepted before. RFC 6238 (5.2) requires that each is accepted only
 *  once, which upstream doesn't check. A code is valid for three periods of thirty seconds. */
export async function wasCodeUsed(db: Queryable, factor: Factor, code: string, now: Date): Promise<boolean> {
  const since = new Date(now.getTime() - 90_000)
  const rows = await queryRows(db)`select from auth.mfa_challenges
    where factor_id = ${factor.id} and otp_code = ${code} and verified_at >= ${since} limit 1`
  return rows.length > 0
}

/** Locks the factor's row, so that of two answers with the same code the second waits. */
export async function lockFactor(tx: Queryable, { id }: Factor): Promise<void> {
  await execute(tx)`select from auth.mfa_factors where id = ${id} for update`
}

/** Locks the challenge's row, so that of two concurrent answers the second finds it used. */
async function lockOpen(tx: Queryable, { client }: AuthenticatedCall, factor: Factor, id: string): Promise<Challenge> {
  const [challenge] = await queryRows<Challenge>(tx)`select id, created_at, verified_at,
    host(ip_address) as ip_address, web_authn_session_data, otp_code
    from auth.mfa_challenges where id = ${id} and factor_id = ${factor.id} for update`
  if (!challenge) throw authError('challengeUnknown')
  if (challenge.verified_at || challenge.ip_address !== inetOf(client.address)) throw authError('challengeAddress')
  return challenge
}

async function deleteChallenge(tx: Queryable, id: string): Promise<void> {
  await execute(tx)`delete from auth.mfa_challenges where id = ${id}`
}

/** The column isn't nullable; a caller without an address is this machine. */
const inetOf = (address: string): string => (isIP(address) > 0 ? address : '127.0.0.1')

/** Reports an attempt at a challenge to the project's hook. If the hook rejects it, all of the user's sessions end.
 *  @throws `mfa_verification_rejected` */
export async function callFactorAttemptHook(
  deps: AuthDeps,
  call: AuthenticatedCall,
  { factor, valid }: { readonly factor: Factor; readonly valid: boolean },
): Promise<void> {
  const { user } = call.caller
  const attempt = { user_id: user.id, factor_id: factor.id, factor_type: factor.factor_type, valid }
  const rejection = await callAttemptHook(deps, call, 'mfa_verification_attempt', attempt)
  if (!rejection) return
  await deleteSessionsOf(deps.db, user.id)
  throw authError('mfaAttemptRejected', [rejection.message])
}
