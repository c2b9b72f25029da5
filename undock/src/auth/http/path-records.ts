import type { AuthDeps } from '../deps.ts'
import { authError } from '../errors.ts'
import { isUuid } from '../models/params.ts'
import type { Factor, User } from '../models/user.ts'
import { findUser, idIs } from '../models/users.ts'
import type { Call } from './call.ts'

/** Returns the user in the path. @throws `validation_failed`, `user_not_found` */
export async function userOfPath({ db }: AuthDeps, { params }: Call): Promise<User> {
  const id = params.user_id ?? ''
  if (!isUuid(id)) throw authError('userIdInvalid')
  const user = await findUser(db, idIs(id))
  if (!user) throw authError('userUnknown')
  return user
}

/** Returns the user's factor in the path. @throws `validation_failed`, `mfa_factor_not_found` */
export function factorOfPath(user: User, { params }: Pick<Call, 'params'>): Factor {
  const id = params.factor_id ?? ''
  if (!isUuid(id)) throw authError('factorIdInvalid')
  const factor = user.factors.find((one) => one.id === id.toLowerCase())
  if (!factor) throw authError('factorUnknown')
  return factor
}
