import { DatabaseError } from 'pg'
import { audit } from '../audit.ts'
import type { Queryable } from '../auth-db.ts'
import { type Caller, type CallerCall, json } from '../call.ts'
import type { AuthDeps } from '../deps.ts'
import { authError } from '../errors.ts'
import { hasVerifiedFactor, type User } from '../user.ts'
import { findUser, idIs } from '../users.ts'
import { checkCreation, creationOptions, isCreationResponse, type NewCredential, relyingPartyOf } from '../webauthn.ts'
import { insertPasskeyChallenge, type PasskeyAnswer, takePasskeyChallenge } from './challenges.ts'
import { insertPasskey, listPasskeys, type Passkey, presentPasskey } from './passkeys.ts'

/** Upstream's default for GOTRUE_PASSKEY_MAX_PASSKEYS_PER_USER; config.toml has no key. */
const MAX_PASSKEYS = 10

/** POST /passkeys/registration/options @see supabase/auth internal/api/passkey_registration.go */
export async function registrationOptions(deps: AuthDeps, call: CallerCall): Promise<Response> {
  const { user } = call.caller
  checkMayRegister(call.caller)
  const existing = await listPasskeys(deps.db, user.id)
  if (existing.length >= MAX_PASSKEYS) throw authError('passkeysTooMany')
  const options = await creationOptions(
    relyingPartyOf(deps.config),
    user,
    existing.map(({ credential }) => credential),
    // Whoever signs in with it names no account first, so the authenticator must keep it.
    { residentKey: 'required', userVerification: 'preferred' },
  )
  const opened = await insertPasskeyChallenge(deps.db, 'registration', user.id, options.challenge, call.now)
  return json({ challenge_id: opened.challenge_id, options, expires_at: opened.expires_at })
}

/** POST /passkeys/registration/verify */
export async function verifyRegistration(deps: AuthDeps, call: CallerCall, body: PasskeyAnswer): Promise<Response> {
  const { user } = call.caller
  checkMayRegister(call.caller)
  const { challenge, credential } = await takePasskeyChallenge(deps.db, 'registration', user.id, body, call.now)
  if (!isCreationResponse(credential)) throw authError('passkeyResponseInvalid')
  const made = await checkCreation(relyingPartyOf(deps.config), challenge, credential)
  if (!made) throw authError('passkeyUnverified')
  const passkey = await deps.db.transaction((tx) => save(tx, call, user, made))
  return json(presentPasskey(passkey))
}

async function save(tx: Queryable, { now, client }: CallerCall, user: User, made: NewCredential): Promise<Passkey> {
  // Two registrations of one user count one after the other.
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

function checkMayRegister(caller: Caller): void {
  if (caller.user.is_sso_user) throw authError('passkeySsoUser')
  checkMayManage(caller)
}

/** Who has a second factor must have used it. @throws `insufficient_aal` */
export function checkMayManage({ user, session }: Caller): void {
  if (hasVerifiedFactor(user) && session?.aal !== 'aal2') throw authError('passkeyNeedsAal2')
}
