import { randomUUID } from 'node:crypto'
import { isIP } from 'node:net'
import { sql, statement } from '../kernel/sql.ts'
import type { Queryable } from './auth-db.ts'
import type { CallerCall } from './call.ts'
import type { AuthDeps } from './deps.ts'
import { authError } from './errors.ts'
import { isUuid, type Json } from './params.ts'
import type { Factor } from './user.ts'

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

/** What an answer will be checked against, where the factor itself does not hold it. */
export type Expected = { readonly webauthn?: Json; readonly code?: string }

/** *  @returns the challenge's id */
export async function insertChallenge(
  tx: Queryable,
  factorId: string,
  address: string,
  now: Date,
  expected: Expected = {},
): Promise<string> {
  const id = randomUUID()
  await tx.query(
    statement(sql`insert into auth.mfa_challenges (id, factor_id, created_at, ip_address, web_authn_session_data, otp_code)
      values (${id}, ${factorId}, ${now}, ${inetOf(address)}::inet, ${expected.webauthn ?? null}, ${expected.code ?? null})`),
  )
  // Upstream's column is unique over all users: of several in one millisecond, each is noted a microsecond later.
  await tx.query(
    statement(sql`update auth.mfa_factors set updated_at = ${now}, last_challenged_at = coalesce((
        select max(last_challenged_at) + interval '1 microsecond' from auth.mfa_factors
        where last_challenged_at >= ${now} and last_challenged_at < ${now}::timestamptz + interval '1 millisecond'
      ), ${now}) where id = ${factorId}`),
  )
  return id
}

/** A challenge that may be answered now, from the address that asked for it.
 *  @throws `mfa_factor_not_found`, `mfa_ip_address_mismatch` (also once it was used, as upstream), `mfa_challenge_expired` */
export async function openChallenge(deps: AuthDeps, call: CallerCall, factor: Factor, id: string): Promise<Challenge> {
  if (!isUuid(id)) throw authError('challengeUnknown')
  const challenge = await deps.db.transaction(async (tx) => {
    const found = await lockOpen(tx, call, factor, id)
    const isExpired = call.now.getTime() > found.created_at.getTime() + CHALLENGE_EXPIRY * 1000
    if (isExpired) await deleteChallenge(tx, found.id)
    return isExpired ? null : found
  })
  if (!challenge) throw authError('challengeExpired', [id])
  return challenge
}

/** Uses a challenge up; another request may have answered it since it was opened. */
export async function useChallenge(tx: Queryable, call: CallerCall, factor: Factor, id: string): Promise<void> {
  await lockOpen(tx, call, factor, id)
  await tx.query(statement(sql`update auth.mfa_challenges set verified_at = ${call.now} where id = ${id}`))
}

/** Locks the row: of two that answer it at once, the second finds it used. */
async function lockOpen(tx: Queryable, { client }: CallerCall, factor: Factor, id: string): Promise<Challenge> {
  const { rows } = await tx.query<Challenge>(
    statement(sql`select id, created_at, verified_at, host(ip_address) as ip_address, web_authn_session_data, otp_code
      from auth.mfa_challenges where id = ${id} and factor_id = ${factor.id} for update`),
  )
  const [challenge] = rows
  if (!challenge) throw authError('challengeUnknown')
  if (challenge.verified_at || challenge.ip_address !== inetOf(client.address)) throw authError('challengeAddress')
  return challenge
}

async function deleteChallenge(tx: Queryable, id: string): Promise<void> {
  await tx.query(statement(sql`delete from auth.mfa_challenges where id = ${id}`))
}

/** The column takes no null; a caller without an address is this machine. */
const inetOf = (address: string): string => (isIP(address) > 0 ? address : '127.0.0.1')
