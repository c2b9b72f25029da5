import { randomUUID } from 'node:crypto'
import type { Call } from '../http/call.ts'
import type { Queryable } from '../models/auth-db.ts'
import { insertIdentity, ownIdentity } from '../models/identities.ts'
import type { Json } from '../models/params.ts'
import { blankUser, type User } from '../models/user.ts'
import { insertUser, reloadUser } from '../models/users.ts'

export function newEmailUser({ aud, now }: Call, email: string, data: Json, passwordHash: string): User {
  return blankUser({
    id: randomUUID(),
    aud,
    email,
    encrypted_password: passwordHash,
    raw_app_meta_data: { provider: 'email', providers: ['email'] },
    raw_user_meta_data: data,
    created_at: now,
    updated_at: now,
  })
}

export async function insertEmailUser(tx: Queryable, user: User, now: Date): Promise<User> {
  await insertUser(tx, user, now)
  await insertIdentity(tx, {
    userId: user.id,
    provider: 'email',
    data: ownIdentity(user.id, { email: user.email }),
    now,
  })
  return reloadUser(tx, user.id)
}
