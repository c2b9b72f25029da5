import type { AuthConfig, AuthDeps } from '../deps.ts'
import { authError } from '../errors.ts'
import { type AuthenticatedCall, json } from '../http/call.ts'
import { notify } from '../mail/messages.ts'
import { audit } from '../models/audit.ts'
import type { Queryable } from '../models/auth-db.ts'
import { deleteIdentity, updateProviders } from '../models/identities.ts'
import { clearOneTimeTokens } from '../models/one-time-tokens.ts'
import { isUuid } from '../models/params.ts'
import type { Identity, User } from '../models/user.ts'
import { emailIs, findUser, merged, reloadUser, updateUser } from '../models/users.ts'

/** DELETE /user/identities/{identity_id}, except the last one. @see supabase/auth internal/api/identity.go */
export async function unlinkIdentity(deps: AuthDeps, call: AuthenticatedCall): Promise<Response> {
  const { user, claims } = call.caller
  const id = call.params.identity_id ?? ''
  if (!isUuid(id)) throw authError('identityIdInvalid')
  const [claimed] = [claims.aud].flat()
  if (claimed !== call.aud) throw authError('audienceUnexpected')
  if (user.identities.length <= 1) throw authError('identityLast')
  const identity = user.identities.find((one) => one.id === id.toLowerCase())
  if (!identity) throw authError('identityUnknown')
  const { provider, provider_id } = identity
  await deps.db.transaction(async (tx) => {
    const traits = { identity_id: identity.id, provider, provider_id }
    await audit(tx, { actor: user, action: 'identity_unlinked', traits, address: call.client.address }, call.now)
    await deleteIdentity(tx, identity.id)
    if (provider === 'phone') await updateUser(tx, user.id, { phone: null, phone_confirmed_at: null }, call.now)
    else await keepUsableEmail(tx, deps.config, await reloadUser(tx, user.id), call.now)
    await updateProviders(tx, await reloadUser(tx, user.id), call.now)
  })
  await notify(deps, call, { kind: 'identity_unlinked', to: user.email, user, details: { Provider: provider } })
  return json({})
}

/** If no remaining identity has the account's address, switches to another's, preferably a verified one. */
async function keepUsableEmail(tx: Queryable, config: AuthConfig, user: User, now: Date): Promise<void> {
  if (user.identities.some(({ email }) => (email ?? '') === user.email)) return
  const successor = await firstFree(tx, user)
  const email = successor.email ?? ''
  const staysConfirmed = email !== '' && (isVerified(successor) || !config.email.enable_confirmations)
  await clearOneTimeTokens(tx, user.id)
  await updateUser(
    tx,
    user.id,
    {
      ...NOTHING_PENDING,
      email: email || null,
      ...(staysConfirmed
        ? {}
        : { email_confirmed_at: null, raw_user_meta_data: merged(user.raw_user_meta_data, { email_verified: false }) }),
    },
    now,
  )
}

const NOTHING_PENDING = {
  confirmation_token: '',
  confirmation_sent_at: null,
  recovery_token: '',
  recovery_sent_at: null,
  email_change: '',
  email_change_token_current: '',
  email_change_token_new: '',
  email_change_sent_at: null,
  email_change_confirm_status: 0,
  phone_change: '',
  phone_change_token: '',
  phone_change_sent_at: null,
  reauthentication_token: '',
  reauthentication_sent_at: null,
}

async function firstFree(tx: Queryable, user: User): Promise<Identity> {
  const ranked = user.identities.toSorted((a, b) => rank(a) - rank(b))
  for (const identity of ranked) {
    if (!identity.email || !(await findUser(tx, emailIs(identity.email, user.aud)))) return identity
  }
  throw authError('identityConflict')
}

const rank = (identity: Identity): number => (!identity.email ? 2 : isVerified(identity) ? 0 : 1)

const isVerified = (identity: Identity): boolean => identity.identity_data.email_verified === true
