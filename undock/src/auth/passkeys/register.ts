import { DatabaseError } from 'pg'
import { z } from 'zod'
import {
  checkCreation,
  creationOptions,
  isCreationResponse,
  type NewCredential,
  relyingPartyOf,
} from '../credentials/webauthn.ts'
import type { AuthDeps } from '../deps.ts'
import { authError } from '../errors.ts'
import { type AuthenticatedCall, type AuthenticatedUser, type Call, json } from '../http/call.ts'
import { userOfPath } from '../http/caller.ts'
import { type Actor, adminActor, audit } from '../models/audit.ts'
import type { Queryable } from '../models/auth-db.ts'
import { type Json, text } from '../models/params.ts'
import { hasVerifiedFactor, type User } from '../models/user.ts'
import { findUser, idIs } from '../models/users.ts'
import { consumePasskeyChallenge, insertPasskeyChallenge, type PasskeyAnswer } from './challenges.ts'
import {
  deletePasskey,
  findPasskey,
  insertPasskey,
  listPasskeys,
  type Passkey,
  presentPasskey,
  renamePasskey,
} from './passkeys.ts'

/** Upstream's default for GOTRUE_PASSKEY_MAX_PASSKEYS_PER_USER; config.toml has no key. */
const MAX_PASSKEYS = 10

/** POST /passkeys/registration/options @see supabase/auth internal/api/passkey_registration.go */
export async function registrationOptions(deps: AuthDeps, call: AuthenticatedCall): Promise<Response> {
  const { user } = call.caller
  checkMayRegister(call.caller)
  const existing = await listPasskeys(deps.db, user.id)
  if (existing.length >= MAX_PASSKEYS) throw authError('passkeysTooMany')
  const options = await creationOptions(
    relyingPartyOf(deps.config),
    user,
    existing.map(({ credential }) => credential),
    // Sign-in doesn't name an account first, so the authenticator must store the credential (discoverable).
    { residentKey: 'required', userVerification: 'preferred' },
  )
  const opened = await insertPasskeyChallenge(deps.db, {
    purpose: 'registration',
    userId: user.id,
    challenge: options.challenge,
    now: call.now,
  })
  return json({ challenge_id: opened.challenge_id, options, expires_at: opened.expires_at })
}

/** POST /passkeys/registration/verify */
export async function verifyRegistration(
  deps: AuthDeps,
  call: AuthenticatedCall,
  body: PasskeyAnswer,
): Promise<Response> {
  const { user } = call.caller
  checkMayRegister(call.caller)
  const { challenge, credential } = await consumePasskeyChallenge(deps.db, {
    purpose: 'registration',
    userId: user.id,
    answer: body,
    now: call.now,
  })
  if (!isCreationResponse(credential)) throw authError('passkeyResponseInvalid')
  const created = await checkCreation(relyingPartyOf(deps.config), challenge, credential)
  if (!created) throw authError('passkeyUnverified')
  const passkey = await deps.db.transaction((tx) => save(tx, call, user, created))
  return json(presentPasskey(passkey))
}

async function save(
  tx: Queryable,
  { now, client }: AuthenticatedCall,
  user: User,
  made: NewCredential,
): Promise<Passkey> {
  // Locks the user, so that parallel registrations are counted one after the other.
  await findUser(tx, idIs(user.id), { lock: true })
  if ((await listPasskeys(tx, user.id)).length >= MAX_PASSKEYS) throw authError('passkeysTooMany')
  try {
    const passkey = await insertPasskey(tx, user.id, made, now)
    const traits = { passkey_id: passkey.id }
    await audit(tx, { actor: user, action: 'passkey_created', traits, address: client.address }, now)
    return passkey
  } catch (error) {
    if (error instanceof DatabaseError && error.code === '23505') throw authError('passkeyTaken', [], { cause: error })
    throw error
  }
}

function checkMayRegister(caller: AuthenticatedUser): void {
  if (caller.user.is_sso_user) throw authError('passkeySsoUser')
  checkMayManage(caller)
}

/** Requires that a user's second factor was used in this session. @throws `insufficient_aal` */
function checkMayManage({ user, session }: AuthenticatedUser): void {
  if (hasVerifiedFactor(user) && session?.aal !== 'aal2') throw authError('passkeyNeedsAal2')
}

/** GET /passkeys @see supabase/auth internal/api/passkey_manage.go */
export async function listOwnPasskeys({ db }: AuthDeps, { caller }: AuthenticatedCall): Promise<Response> {
  return json((await listPasskeys(db, caller.user.id)).map(presentPasskey))
}

export const PasskeyName = z.object({ friendly_name: text })

/** PATCH /passkeys/{passkey_id} */
export async function updatePasskey(
  { db }: AuthDeps,
  { caller, params, now, client }: AuthenticatedCall,
  { friendly_name: name }: z.infer<typeof PasskeyName>,
): Promise<Response> {
  if (name === '') throw authError('passkeyNameMissing')
  if (Buffer.byteLength(name) > 120) throw authError('passkeyNameTooLong')
  const passkey = await findPasskey(db, params.passkey_id ?? '', caller.user.id)
  await db.transaction(async (tx) => {
    await renamePasskey(tx, passkey.id, name, now)
    const traits = { passkey_id: passkey.id }
    await audit(tx, { actor: caller.user, action: 'passkey_updated', traits, address: client.address }, now)
  })
  return json(presentPasskey({ ...passkey, friendly_name: name }))
}

/** DELETE /passkeys/{passkey_id} */
export async function deleteOwnPasskey(deps: AuthDeps, call: AuthenticatedCall): Promise<Response> {
  const { user } = call.caller
  checkMayManage(call.caller)
  return remove(deps, call, { userId: user.id, actor: user, extraTraits: {} })
}

/** GET /admin/users/{user_id}/passkeys @see supabase/auth internal/api/passkey_admin.go */
export async function listPasskeysAsAdmin(deps: AuthDeps, call: Call): Promise<Response> {
  const { id } = await userOfPath(deps, call)
  return json((await listPasskeys(deps.db, id)).map(presentPasskey))
}

/** DELETE /admin/users/{user_id}/passkeys/{passkey_id} */
export async function deletePasskeyAsAdmin(deps: AuthDeps, call: Call): Promise<Response> {
  const { id } = await userOfPath(deps, call)
  return remove(deps, call, { userId: id, actor: adminActor, extraTraits: { user_id: id } })
}

async function remove(
  { db }: AuthDeps,
  { params, now, client }: Call,
  { userId, actor, extraTraits }: { readonly userId: string; readonly actor: Actor; readonly extraTraits: Json },
) {
  const { id } = await findPasskey(db, params.passkey_id ?? '', userId)
  await db.transaction(async (tx) => {
    await deletePasskey(tx, id)
    const traits = { ...extraTraits, passkey_id: id }
    await audit(tx, { actor, action: 'passkey_deleted', traits, address: client.address }, now)
  })
  return new Response(null, { status: 204 })
}
