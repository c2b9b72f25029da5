import { randomUUID } from 'node:crypto'
import { execute, queryRow, queryRows } from '../../database/db.ts'
import type { Queryable } from './auth-db.ts'
import { merged, updateUser } from './users.ts'

/** The provider's claims about a user; `sub` is its id for them. */
export type IdentityData = { readonly sub: string; readonly [claim: string]: unknown }

/** Returns the claims of an identity that Auth itself vouches for. Upstream always writes both `_verified` fields. */
export function ownIdentity(
  userId: string,
  claims: { email?: string; phone?: string; email_verified?: boolean; phone_verified?: boolean },
): IdentityData {
  return {
    sub: userId,
    ...(claims.email ? { email: claims.email.toLowerCase() } : {}),
    email_verified: claims.email_verified ?? false,
    ...(claims.phone ? { phone: claims.phone } : {}),
    phone_verified: claims.phone_verified ?? false,
  }
}

export async function insertIdentity(
  db: Queryable,
  {
    userId,
    provider,
    data,
    now,
  }: { readonly userId: string; readonly provider: string; readonly data: IdentityData; readonly now: Date },
) {
  const id = randomUUID()
  await execute(db)`insert into auth.identities
    (id, provider_id, user_id, identity_data, provider, last_sign_in_at, created_at, updated_at)
    values (${id}, ${data.sub}, ${userId}, ${data}, ${provider}, ${now}, ${now}, ${now})`
  return id
}

/** Inserts the identity of an account's address, which isn't verified yet. */
export const insertOwnIdentity = (
  db: Queryable,
  user: { readonly id: string; readonly email: string; readonly phone: string },
  provider: 'email' | 'phone',
  now: Date,
): Promise<string> =>
  insertIdentity(db, { userId: user.id, provider, data: ownIdentity(user.id, { [provider]: user[provider] }), now })

type StoredIdentity = { id: string; user_id: string; identity_data: Record<string, unknown> }

export async function findIdentity(
  db: Queryable,
  providerId: string,
  provider: string,
): Promise<StoredIdentity | null> {
  return queryRow<StoredIdentity>(db)`select id, user_id, identity_data from auth.identities
    where provider_id = ${providerId} and provider = ${provider}`
}

export async function updateIdentityData(
  db: Queryable,
  identity: { readonly id: string; readonly identity_data: Record<string, unknown> },
  updates: Record<string, unknown>,
  now: Date,
) {
  const data = merged(identity.identity_data, updates)
  await execute(db)`update auth.identities set identity_data = ${data}, updated_at = ${now} where id = ${identity.id}`
}

/** Creates or updates the identity that Auth itself vouches for. @returns whether it was created */
export async function saveOwnIdentity(
  db: Queryable,
  {
    userId,
    provider,
    claims,
    now,
  }: {
    readonly userId: string
    readonly provider: 'email' | 'phone'
    readonly claims: Parameters<typeof ownIdentity>[1]
    readonly now: Date
  },
): Promise<boolean> {
  const existing = await findIdentity(db, userId, provider)
  if (!existing) {
    await insertIdentity(db, { userId, provider, data: ownIdentity(userId, claims), now })
    return true
  }
  await updateIdentityData(db, existing, claims, now)
  return false
}

export async function deleteIdentity(db: Queryable, id: string): Promise<void> {
  await execute(db)`delete from auth.identities where id = ${id}`
}

/** After the first verification, earlier identities may belong to anyone. */
export async function deleteOtherIdentities(
  db: Queryable,
  { identities }: { readonly identities: readonly { readonly id: string }[] },
  keptId: string,
): Promise<void> {
  for (const { id } of identities) if (id !== keptId) await deleteIdentity(db, id)
}

/** Writes the user's providers, oldest first, to app_metadata. */
export async function updateProviders(
  db: Queryable,
  user: { readonly id: string; readonly raw_app_meta_data: Record<string, unknown> },
  now: Date,
): Promise<void> {
  const rows = await queryRows<{ provider: string }>(db)`select provider from auth.identities where user_id = ${user.id}
    group by provider order by min(created_at), provider`
  const providers = rows.map(({ provider }) => provider)
  const [first] = providers
  const raw_app_meta_data = merged(user.raw_app_meta_data, { providers, ...(first ? { provider: first } : {}) })
  await updateUser(db, user.id, { raw_app_meta_data }, now)
}
