import type { AuthDeps } from '../../deps.ts'
import { authError } from '../../errors.ts'
import { confirmEmail } from '../../flows/account.ts'
import type { Call } from '../../http/call.ts'
import { audit } from '../../models/audit.ts'
import { insertIdentity, updateProviders } from '../../models/identities.ts'
import { findUserByToken } from '../../models/one-time-tokens.ts'
import type { User } from '../../models/user.ts'
import { merged, reloadUser, updateUser } from '../../models/users.ts'
import { deleteUnprovenCredentials } from '../accounts.ts'
import { identityData, type Profile } from '../profile.ts'

/** Accepts an invitation by an external identity that has the invited address.
 *  @throws `invite_not_found`, `validation_failed`
 *  @see supabase/auth internal/api/external.go, processInvite */
export async function acceptInvite(
  deps: AuthDeps,
  { now }: Call,
  { token, provider, profile }: { readonly token: string; readonly provider: string; readonly profile: Profile },
): Promise<User> {
  const data = identityData(profile)
  return deps.db.transaction(async (tx) => {
    const user = await findUserByToken(tx, [token], ['confirmation_token'])
    if (!user) throw authError('inviteUnknown')
    if (!profile.emails.some(({ email }) => email.toLowerCase() === user.email)) throw authError('inviteForeign')
    const identityId = await insertIdentity(tx, { userId: user.id, provider, data, now })
    await audit(tx, { actor: user, action: 'invite_accepted', traits: { provider } }, now)
    await deleteUnprovenCredentials(tx, await reloadUser(tx, user.id), { identityId, profile, now })
    const raw_user_meta_data = merged(user.raw_user_meta_data, data)
    await updateUser(tx, user.id, { raw_user_meta_data }, now)
    await confirmEmail(tx, { id: user.id, raw_user_meta_data }, now)
    await updateProviders(tx, await reloadUser(tx, user.id), now)
    return reloadUser(tx, user.id)
  })
}
