import type { AuthConfig } from '../deps.ts'
import { authError } from '../errors.ts'
import type { Queryable } from '../models/auth-db.ts'
import { lockRecoveryCodeSet } from '../models/recovery-codes.ts'
import type { Factor, FactorType, User } from '../models/user.ts'
import { reloadUser } from '../models/users.ts'

const SECTIONS = {
  totp: 'totp',
  phone: 'phone',
  webauthn: 'web_authn',
  recovery_code: 'recovery_codes',
} as const satisfies Record<FactorType, keyof AuthConfig['mfa']>

export const isVerifyEnabled = ({ mfa }: AuthConfig, type: FactorType): boolean => mfa[SECTIONS[type]].verify_enabled

/** Returns whether the user has a second factor besides recovery codes.
 *  @param exceptId A factor that doesn't count. */
export const hasOtherFactor = (config: AuthConfig, { factors }: User, exceptId: string | null = null): boolean =>
  factors.some(
    ({ id, status, factor_type: type }) =>
      id !== exceptId && status === 'verified' && type !== 'recovery_code' && isVerifyEnabled(config, type),
  )

/** Recovery codes must never be a user's only second factor.
 *  @throws `mfa_recovery_codes_sole_factor` if only recovery codes would be left without `factor` */
export async function checkLeavesFactor(
  tx: Queryable,
  config: AuthConfig,
  user: User,
  { id, status }: Factor,
): Promise<void> {
  if (status !== 'verified' || !(await lockRecoveryCodeSet(tx, user.id))) return
  if (!hasOtherFactor(config, await reloadUser(tx, user.id), id)) throw authError('recoveryCodesLeftAlone')
}
