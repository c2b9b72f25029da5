import { confirmEmail } from '../account.ts'
import { audit } from '../audit.ts'
import type { Call } from '../call.ts'
import type { AuthDeps } from '../deps.ts'
import { authError } from '../errors.ts'
import { findIdentity, insertIdentity, updateProviders } from '../identities.ts'
import { notify } from '../mails.ts'
import type { User } from '../user.ts'
import { findByAnyEmail, reloadUser, updateUser } from '../users.ts'
import { identityData, type Profile } from './profile.ts'

/** Adds an external identity to an account that asked for it.
 *  @throws `identity_already_exists`, `email_exists`
 *  @see supabase/auth internal/api/identity.go, linkIdentityToUser */
export async function linkTo(
  deps: AuthDeps,
  call: Call,
  targetId: string,
  provider: string,
  profile: Profile,
): Promise<User> {
  const { now, client } = call
  const data = identityData(profile)
  const user = await deps.db.transaction(async (tx) => {
    const target = await reloadUser(tx, targetId)
    const existing = await findIdentity(tx, profile.sub, provider)
    if (existing) throw authError(existing.user_id === target.id ? 'identityLinked' : 'identityTaken')
    const identityId = await insertIdentity(tx, target.id, provider, data, now)
    const traits = { identity_id: identityId, provider, provider_id: profile.sub }
    await audit(tx, { actor: target, action: 'identity_linked', traits, address: client.address }, now)
    // An account without an address gets the one that the provider vouches for.
    if (target.email === '' && data.email && data.email_verified) {
      if (await findByAnyEmail(tx, data.email, target.aud, target.id)) throw authError('emailTaken')
      await updateUser(tx, target.id, { email: data.email, is_anonymous: false }, now)
      await confirmEmail(tx, target, now)
    }
    await updateProviders(tx, await reloadUser(tx, target.id), now)
    return reloadUser(tx, target.id)
  })
  await notify(deps, call, 'identity_linked', user.email, user, { Provider: provider })
  return user
}
