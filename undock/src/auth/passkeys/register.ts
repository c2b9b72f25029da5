import { DatabaseError } from 'pg'
import {
  checkCreation,
  creationOptions,
  isCreationResponse,
  type NewCredential,
  relyingPartyOf,
} from '../credentials/webauthn.ts'
import type { AuthDeps } from '../deps.ts'
import { authError } from '../errors.ts'
import { type AuthenticatedCall, type AuthenticatedUser, json } from '../http/call.ts'
import { audit } from '../models/audit.ts'
import type { Queryable } from '../models/auth-db.ts'
import { hasVerifiedFactor, type User } from '../models/user.ts'
import { findUser, idIs } from '../models/users.ts'
import { consumePasskeyChallenge, insertPasskeyChallenge, type PasskeyAnswer } from './challenges.ts'
import { insertPasskey, listPasskeys, type Passkey, presentPasskey } from './passkeys.ts'

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
  const made = await checkCreation(relyingPartyOf(deps.config), challenge, credential)
  if (!made) throw authError('passkeyUnverified')
  const passkey = await deps.db.transaction((tx) => save(tx, call, user, made))
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
export function checkMayManage({ user, session }: AuthenticatedUser): void {
  if (hasVerifiedFactor(user) && session?.aal !== 'aal2') throw authError('passkeyNeedsAal2')
}
