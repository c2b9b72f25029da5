import type { AuthDeps } from '../../deps.ts'
import { authError } from '../../errors.ts'
import { confirmEmail } from '../../flows/account.ts'
import type { Call } from '../../http/call.ts'
import { notify } from '../../mail/messages.ts'
import { audit } from '../../models/audit.ts'
import { findIdentity, insertIdentity, updateProviders } from '../../models/identities.ts'
import type { User } from '../../models/user.ts'
import { findByAnyEmail, reloadUser, updateUser } from '../../models/users.ts'
import { identityData, type Profile } from '../profile.ts'

/** Links an external identity to the account that requested it.
 *  @throws `identity_already_exists`, `email_exists`
 *  @see supabase/auth internal/api/identity.go, linkIdentityToUser */
export async function linkIdentity(
  deps: AuthDeps,
  call: Call,
  { targetId, provider, profile }: { readonly targetId: string; readonly provider: string; readonly profile: Profile },
): Promise<User> {
  const { now, client } = call
  const data = identityData(profile)
  const user = await deps.db.transaction(async (tx) => {
    const target = await reloadUser(tx, targetId)
    const existing = await findIdentity(tx, profile.sub, provider)
    if (existing) throw authError(existing.user_id === target.id ? 'identityLinked' : 'identityTaken')
    const identityId = await insertIdentity(tx, { userId: target.id, provider, data, now })
    const traits = { identity_id: identityId, provider, provider_id: profile.sub }
    await audit(tx, { actor: target, action: 'identity_linked', traits, address: client.address }, now)
    // Accounts without an address get the one verified by the provider.
    if (target.email === '' && data.email && data.email_verified) {
      if (await findByAnyEmail(tx, data.email, target.aud, target.id)) throw authError('emailTaken')
      await updateUser(tx, target.id, { email: data.email, is_anonymous: false }, now)
      await confirmEmail(tx, target, now)
    }
    await updateProviders(tx, await reloadUser(tx, target.id), now)
    return reloadUser(tx, target.id)
  })
  await notify(deps, call, { kind: 'identity_linked', to: user.email, user, details: { Provider: provider } })
  return user
}
