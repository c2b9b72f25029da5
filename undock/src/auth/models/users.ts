import { DatabaseError } from 'pg-protocol'
import { execute } from '../../database/db.ts'
import { identifier, join, type Sql, sql } from '../../kernel/sql.ts'
import { type AuthErrorName, authError } from '../errors.ts'
import type { Queryable } from './auth-db.ts'
import type { User, UserColumns } from './user.ts'

/** All of upstream's rows have this instance; it ignores rows of others. */
export const INSTANCE_ID = '00000000-0000-0000-0000-000000000000'

const COLUMNS = sql`
  u.id, coalesce(u.aud, '') as aud, coalesce(u.role, '') as role, coalesce(u.email, '') as email,
  coalesce(u.encrypted_password, '') as encrypted_password, u.email_confirmed_at, u.invited_at,
  coalesce(u.confirmation_token, '') as confirmation_token, u.confirmation_sent_at,
  coalesce(u.recovery_token, '') as recovery_token, u.recovery_sent_at,
  coalesce(u.email_change_token_new, '') as email_change_token_new,
  coalesce(u.email_change_token_current, '') as email_change_token_current,
  coalesce(u.email_change, '') as email_change, u.email_change_sent_at,
  coalesce(u.email_change_confirm_status, 0) as email_change_confirm_status, u.last_sign_in_at,
  coalesce(u.raw_app_meta_data, '{}') as raw_app_meta_data, coalesce(u.raw_user_meta_data, '{}') as raw_user_meta_data,
  coalesce(u.created_at, 'epoch') as created_at, coalesce(u.updated_at, 'epoch') as updated_at,
  coalesce(u.phone, '') as phone, u.phone_confirmed_at, coalesce(u.phone_change, '') as phone_change,
  coalesce(u.phone_change_token, '') as phone_change_token, u.phone_change_sent_at, u.confirmed_at, u.banned_until,
  coalesce(u.reauthentication_token, '') as reauthentication_token, u.reauthentication_sent_at,
  u.is_sso_user, u.deleted_at, u.is_anonymous`

const RELATIONS = sql`
  (select coalesce(jsonb_agg(to_jsonb(i) order by i.created_at, i.id), '[]') from auth.identities i
    where i.user_id = u.id) as identities,
  (select coalesce(jsonb_agg(to_jsonb(f) order by f.created_at, f.id), '[]') from auth.mfa_factors f
    where f.user_id = u.id) as factors`

/** `lock` holds the row until the transaction ends, so that parallel redemptions of a token, and requests for a message, run
 *  one after the other. */
export type FindOptions = { readonly lock?: boolean }

export const selectUsers = sql`select ${COLUMNS}, ${RELATIONS} from auth.users u`

/** Returns the statement that reads a user with identities and factors, to batch with others. */
export const selectUser = (where: Sql, { lock = false }: FindOptions = {}): Sql =>
  sql`${selectUsers} where u.instance_id = ${INSTANCE_ID} and ${where} limit 1 ${lock ? sql`for update of u` : sql``}`

export const idIs = (id: string): Sql => sql`u.id = ${id}`

export const emailIs = (email: string, aud: string): Sql =>
  sql`lower(u.email) = ${email.toLowerCase()} and u.aud = ${aud} and not u.is_sso_user`

export const emailChangeIs = (email: string, aud: string): Sql =>
  sql`lower(u.email_change) = ${email.toLowerCase()} and u.aud = ${aud} and not u.is_sso_user`

export const phoneIs = (phone: string, aud: string): Sql =>
  sql`u.phone = ${phone} and u.aud = ${aud} and not u.is_sso_user`

export const phoneChangeIs = (phone: string, aud: string): Sql =>
  sql`u.phone_change = ${phone} and u.aud = ${aud} and not u.is_sso_user`

export async function findUser(db: Queryable, where: Sql, options?: FindOptions): Promise<User | null> {
  const { rows } = await db.query<User>(selectUser(where, options))
  return rows[0] ?? null
}

/** Reads a user again, with changes by triggers and generated columns. */
export async function reloadUser(db: Queryable, id: string, options?: FindOptions): Promise<User> {
  const user = await findUser(db, idIs(id), options)
  if (!user) throw authError('userUnknown')
  return user
}

/** Returns another user with this address, on the account or in an identity of the default linking domain.
 *  @see supabase/auth internal/models/user.go, IsDuplicatedEmail */
export function findByAnyEmail(db: Queryable, email: string, aud: string, exceptId: string | null) {
  const lower = email.toLowerCase()
  const through = sql`exists (select from auth.identities i
    where i.user_id = u.id and i.email = ${lower} and i.provider not like 'sso:%')`
  const own = sql`lower(u.email) = ${lower} and not u.is_sso_user`
  return findUser(db, sql`u.aud = ${aud} and u.id is distinct from ${exceptId}::uuid and (${through} or ${own})`)
}

/** Returns the user with this address in an identity of one SSO provider, whose accounts aren't linked to others. */
export function findBySsoEmail(db: Queryable, email: string, aud: string, provider: string) {
  return findUser(
    db,
    sql`u.aud = ${aud} and u.is_sso_user and exists (select from auth.identities i
      where i.user_id = u.id and i.email = ${email.toLowerCase()} and i.provider = ${provider})`,
  )
}

export type NewUser = {
  readonly id: string
  readonly aud: string
  readonly role: string
  readonly email: string
  readonly phone: string
  readonly encrypted_password: string
  readonly raw_app_meta_data: Record<string, unknown>
  readonly raw_user_meta_data: Record<string, unknown>
  readonly is_anonymous: boolean
  readonly is_sso_user?: boolean
}

/** @param refusal The error if a constraint or a project's trigger objects. @throws `unexpected_failure` */
export async function insertUser(
  db: Queryable,
  user: NewUser,
  now: Date,
  refusal: AuthErrorName = 'userSaveFailed',
): Promise<void> {
  await written(
    refusal,
    execute(db)`insert into auth.users (
        instance_id, id, aud, role, email, phone, encrypted_password, raw_app_meta_data, raw_user_meta_data, is_anonymous, is_sso_user,
        confirmation_token, recovery_token, email_change_token_new, email_change, created_at, updated_at
      ) values (
        ${INSTANCE_ID}, ${user.id}, ${user.aud}, ${user.role}, ${user.email || null}, ${user.phone || null},
        ${user.encrypted_password}, ${user.raw_app_meta_data}, ${user.raw_user_meta_data}, ${user.is_anonymous}, ${user.is_sso_user ?? false},
        '', '', '', '', ${now}, ${now}
      )`,
  )
}

/** Handles errors of the project's triggers and constraints: the client learns what failed, the log why. */
async function written(refusal: AuthErrorName, writing: Promise<unknown>): Promise<void> {
  try {
    await writing
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error
    const taken = error.code === '23505' ? TAKEN[error.constraint ?? ''] : undefined
    throw authError(taken ?? refusal, [], { cause: error })
  }
}

/** A parallel request for the same address wasn't committed yet when this one checked. */
const TAKEN: Readonly<Record<string, AuthErrorName>> = {
  users_email_partial_key: 'emailTaken',
  users_phone_key: 'phoneTaken',
}

export type UserPatch = Partial<
  Omit<UserColumns, 'id' | 'created_at' | 'updated_at' | 'confirmed_at' | 'email' | 'phone' | 'encrypted_password'>
> & { email?: string | null; phone?: string | null; encrypted_password?: string | null }

export async function updateUser(db: Queryable, id: string, patch: UserPatch, now: Date): Promise<void> {
  const changes = Object.entries({ ...patch, updated_at: now }).map(
    ([name, value]) => sql`${identifier(name)} = ${value}`,
  )
  await written('userUpdateFailed', execute(db)`update auth.users set ${join(changes)} where id = ${id}`)
}

/** Merges into the user's metadata; null removes a key. */
export function merged(current: Record<string, unknown>, updates: Record<string, unknown>): Record<string, unknown> {
  const result = { ...current, ...updates }
  for (const [key, value] of Object.entries(updates)) if (value === null) delete result[key]
  return result
}

export async function deleteUser(db: Queryable, id: string): Promise<void> {
  await written('userDeleteFailed', execute(db)`delete from auth.users where id = ${id}`)
}
