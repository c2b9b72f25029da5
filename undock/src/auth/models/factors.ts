import { DatabaseError } from 'pg'
import { execute } from '../../database/db.ts'
import { authError } from '../errors.ts'
import type { Queryable } from './auth-db.ts'
import type { Factor, FactorType } from './user.ts'

/** Seconds before an unverified factor may be deleted; upstream's default. */
const UNVERIFIED_EXPIRY = 300

export type NewFactor = {
  readonly id: string
  readonly type: FactorType
  readonly name: string
  readonly secret: string | null
  readonly phone?: string
  readonly status?: Factor['status']
}

/** @throws `mfa_factor_name_conflict`, `mfa_verified_factor_exists` if another request was faster */
export async function insertFactor(tx: Queryable, userId: string, factor: NewFactor, now: Date): Promise<void> {
  const inserting = execute(tx)`insert into auth.mfa_factors
    (id, user_id, friendly_name, factor_type, status, secret, phone, created_at, updated_at)
    values (${factor.id}, ${userId}, ${factor.name}, ${factor.type}::auth.factor_type,
      ${factor.status ?? 'unverified'}::auth.factor_status, ${factor.secret}, ${factor.phone ?? null}, ${now}, ${now})`
  await inserting.catch((error: unknown) => {
    if (!(error instanceof DatabaseError) || error.code !== '23505') throw error
    const isName = error.constraint === 'mfa_factors_user_friendly_name_unique'
    throw authError(isName ? 'factorNameTaken' : 'factorPhoneTaken', [factor.name], { cause: error })
  })
}

export async function verifyFactor(tx: Queryable, id: string, now: Date): Promise<void> {
  await execute(tx)`update auth.mfa_factors set status = 'verified', updated_at = ${now} where id = ${id}`
}

export async function renameFactor(tx: Queryable, id: string, name: string, now: Date): Promise<void> {
  await execute(tx)`update auth.mfa_factors set friendly_name = ${name}, updated_at = ${now} where id = ${id}`
}

export async function changeFactorPhone(tx: Queryable, id: string, phone: string, now: Date): Promise<void> {
  await execute(tx)`update auth.mfa_factors set phone = ${phone}, updated_at = ${now} where id = ${id}`
}

export async function deleteFactor(tx: Queryable, id: string): Promise<void> {
  await execute(tx)`delete from auth.mfa_factors where id = ${id}`
}

export async function deleteUnverified(tx: Queryable, userId: string, type: FactorType): Promise<void> {
  await execute(tx)`delete from auth.mfa_factors
    where user_id = ${userId} and status = 'unverified' and factor_type = ${type}::auth.factor_type`
}

/** Deletes all users' expired, unverified factors without a pending challenge. */
export async function deleteExpiredFactors(db: Queryable, now: Date): Promise<void> {
  const before = new Date(now.getTime() - UNVERIFIED_EXPIRY * 1000)
  await execute(db)`delete from auth.mfa_factors f where f.status = 'unverified' and f.created_at < ${before}
    and not exists (select from auth.mfa_challenges c where c.factor_id = f.id and c.created_at >= ${before})`
}
