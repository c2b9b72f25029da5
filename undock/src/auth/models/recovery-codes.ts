import { randomUUID } from 'node:crypto'
import { execute, queryRow, queryRows } from '../../database/db.ts'
import { type Sql, sql } from '../../kernel/sql.ts'
import type { Queryable } from './auth-db.ts'

/** Consecutive wrong codes before verification is locked, and seconds it stays so; upstream's defaults. */
const MAX_WRONG = 5
const LOCKED_FOR = 15 * 60

/** A row of auth.mfa_recovery_code_sets: at most one per user, belonging to one factor. */
export type RecoveryCodeSet = {
  readonly id: string
  readonly mfa_factor_id: string
  readonly verification_locked_until: Date | null
}

const selectSet = (userId: string): Sql => sql`
  select id, mfa_factor_id, verification_locked_until from auth.mfa_recovery_code_sets where user_id = ${userId}`

export async function findRecoveryCodeSet(db: Queryable, userId: string): Promise<RecoveryCodeSet | null> {
  const { rows } = await db.query<RecoveryCodeSet>(selectSet(userId))
  return rows[0] ?? null
}

/** Locks the set's row, so that of two requests the second sees the first's changes. */
export async function lockRecoveryCodeSet(tx: Queryable, userId: string): Promise<RecoveryCodeSet | null> {
  return queryRow<RecoveryCodeSet>(tx)`${selectSet(userId)} for update`
}

export const isLocked = ({ verification_locked_until: until }: RecoveryCodeSet, now: Date): boolean =>
  until !== null && now < until

export async function insertRecoveryCodes(
  tx: Queryable,
  { userId, factorId, hashes, now }: { userId: string; factorId: string; hashes: readonly string[]; now: Date },
): Promise<void> {
  const id = randomUUID()
  await execute(tx)`insert into auth.mfa_recovery_code_sets (id, user_id, mfa_factor_id, created_at, updated_at)
    values (${id}, ${userId}, ${factorId}, ${now}, ${now})`
  await insertHashes(tx, id, hashes, now)
}

export async function replaceRecoveryCodes(
  tx: Queryable,
  id: string,
  hashes: readonly string[],
  now: Date,
): Promise<void> {
  await execute(tx)`delete from auth.mfa_recovery_codes where mfa_recovery_code_set_id = ${id}`
  await insertHashes(tx, id, hashes, now)
  await forgetWrongCodes(tx, id, now)
}

async function insertHashes(tx: Queryable, setId: string, hashes: readonly string[], now: Date): Promise<void> {
  await execute(tx)`insert into auth.mfa_recovery_codes (id, mfa_recovery_code_set_id, code_hash, created_at)
    select gen_random_uuid(), ${setId}, code_hash, ${now} from unnest(${hashes}::text[]) as code_hash`
}

export type StoredRecoveryCode = { readonly id: string; readonly code_hash: string }

export async function findUnusedCodes(db: Queryable, setId: string): Promise<StoredRecoveryCode[]> {
  return queryRows<StoredRecoveryCode>(db)`select id, code_hash from auth.mfa_recovery_codes
    where mfa_recovery_code_set_id = ${setId} and consumed_at is null`
}

export async function countRecoveryCodes(
  db: Queryable,
  setId: string,
): Promise<{ readonly total: number; readonly remaining: number }> {
  const rows = await queryRows<{ total: number; remaining: number }>(db)`select count(*)::int as total,
    (count(*) filter (where consumed_at is null))::int as remaining
    from auth.mfa_recovery_codes where mfa_recovery_code_set_id = ${setId}`
  return rows[0] ?? { total: 0, remaining: 0 }
}

/** @returns false if another request used the code first */
export async function consumeRecoveryCode(tx: Queryable, id: string, now: Date): Promise<boolean> {
  const rows = await queryRows(tx)`update auth.mfa_recovery_codes set consumed_at = ${now}
    where id = ${id} and consumed_at is null returning id`
  return rows.length > 0
}

/** Counts a wrong code; the fifth in a row locks verification for a quarter of an hour. */
export async function countWrongCode(db: Queryable, setId: string, now: Date): Promise<void> {
  const lockedUntil = new Date(now.getTime() + LOCKED_FOR * 1000)
  await execute(db)`with before as (
      select id, case when verification_locked_until <= ${now} then 0 else failed_verification_count end as wrong
      from auth.mfa_recovery_code_sets where id = ${setId} for update
    )
    update auth.mfa_recovery_code_sets s set failed_verification_count = before.wrong + 1, updated_at = ${now},
      verification_locked_until = case when before.wrong + 1 >= ${MAX_WRONG} then ${lockedUntil}::timestamptz end
    from before where s.id = before.id`
}

export async function forgetWrongCodes(tx: Queryable, setId: string, now: Date): Promise<void> {
  await execute(tx)`update auth.mfa_recovery_code_sets
    set failed_verification_count = 0, verification_locked_until = null, updated_at = ${now} where id = ${setId}`
}
