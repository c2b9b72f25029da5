import { randomUUID } from 'node:crypto'
import { isIP } from 'node:net'
import { sql, statement } from '../kernel/sql.ts'
import type { Queryable } from './auth-db.ts'
import type { Call } from './call.ts'
import { authError } from './errors.ts'
import { isUuid } from './params.ts'
import type { Factor, FactorType, User } from './user.ts'

/** Upstream's defaults, in seconds: a challenge, and a factor that was never verified. */
export const CHALLENGE_EXPIRY = 300
const UNVERIFIED_EXPIRY = 300

export type Challenge = {
  readonly id: string
  readonly created_at: Date
  readonly verified_at: Date | null
  readonly ip_address: string
}

/** The factor that a path names, if it is the user's. @throws `validation_failed`, `mfa_factor_not_found` */
export function factorOfPath(user: User, { params }: Pick<Call, 'params'>): Factor {
  const id = params.factor_id ?? ''
  if (!isUuid(id)) throw authError('factorIdInvalid')
  const factor = user.factors.find((one) => one.id === id.toLowerCase())
  if (!factor) throw authError('factorUnknown')
  return factor
}

export type NewFactor = {
  readonly id: string
  readonly type: FactorType
  readonly name: string
  readonly secret: string
}

export async function insertFactor(tx: Queryable, userId: string, factor: NewFactor, now: Date): Promise<void> {
  await tx.query(
    statement(sql`insert into auth.mfa_factors
      (id, user_id, friendly_name, factor_type, status, secret, created_at, updated_at)
      values (${factor.id}, ${userId}, ${factor.name}, ${factor.type}::auth.factor_type, 'unverified', ${factor.secret},
        ${now}, ${now})`),
  )
}

export async function verifyFactor(tx: Queryable, id: string, now: Date): Promise<void> {
  await tx.query(statement(sql`update auth.mfa_factors set status = 'verified', updated_at = ${now} where id = ${id}`))
}

export async function renameFactor(tx: Queryable, id: string, name: string, now: Date): Promise<void> {
  await tx.query(
    statement(sql`update auth.mfa_factors set friendly_name = ${name}, updated_at = ${now} where id = ${id}`),
  )
}

export async function deleteFactor(tx: Queryable, id: string): Promise<void> {
  await tx.query(statement(sql`delete from auth.mfa_factors where id = ${id}`))
}

/** Others of the kind that were started and never finished. */
export async function deleteUnverified(tx: Queryable, userId: string, type: FactorType): Promise<void> {
  await tx.query(
    statement(sql`delete from auth.mfa_factors
      where user_id = ${userId} and status = 'unverified' and factor_type = ${type}::auth.factor_type`),
  )
}

/** Factors of anyone that were never verified in their time and have no challenge running. */
export async function deleteExpiredFactors(db: Queryable, now: Date): Promise<void> {
  const before = new Date(now.getTime() - UNVERIFIED_EXPIRY * 1000)
  await db.query(
    statement(sql`delete from auth.mfa_factors f where f.status = 'unverified' and f.created_at < ${before}
      and not exists (select from auth.mfa_challenges c where c.factor_id = f.id and c.created_at >= ${before})`),
  )
}

/** @returns the challenge's id */
export async function insertChallenge(tx: Queryable, factorId: string, address: string, now: Date): Promise<string> {
  const id = randomUUID()
  await tx.query(
    statement(sql`insert into auth.mfa_challenges (id, factor_id, created_at, ip_address)
      values (${id}, ${factorId}, ${now}, ${inetOf(address)}::inet)`),
  )
  await tx.query(
    statement(sql`update auth.mfa_factors set last_challenged_at = ${now}, updated_at = ${now} where id = ${factorId}
      and not exists (select from auth.mfa_factors other where other.last_challenged_at = ${now})`),
  )
  return id
}

/** Locks the challenge: of two that answer it at once, the second finds it used. */
export async function lockChallenge(tx: Queryable, id: string, factorId: string): Promise<Challenge | null> {
  const { rows } = await tx.query<Challenge>(
    statement(sql`select id, created_at, verified_at, host(ip_address) as ip_address from auth.mfa_challenges
      where id = ${id} and factor_id = ${factorId} for update`),
  )
  return rows[0] ?? null
}

export async function useChallenge(tx: Queryable, id: string, now: Date): Promise<void> {
  await tx.query(statement(sql`update auth.mfa_challenges set verified_at = ${now} where id = ${id}`))
}

export async function deleteChallenge(tx: Queryable, id: string): Promise<void> {
  await tx.query(statement(sql`delete from auth.mfa_challenges where id = ${id}`))
}

/** The column takes no null; a caller without an address is this machine. */
export const inetOf = (address: string): string => (isIP(address) > 0 ? address : '127.0.0.1')
