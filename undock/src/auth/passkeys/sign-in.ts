import { z } from 'zod'
import { audit } from '../audit.ts'
import { parseBody, readText } from '../body.ts'
import { type Call, json } from '../call.ts'
import { guarded, verifyCaptcha } from '../captcha.ts'
import type { AuthDeps } from '../deps.ts'
import { authError } from '../errors.ts'
import { withHooks } from '../hook-transaction.ts'
import { isUuid } from '../params.ts'
import { startSession } from '../start-session.ts'
import { isBanned, type User } from '../user.ts'
import { findUser, idIs } from '../users.ts'
import { checkAssertion, relyingPartyOf, requestOptions } from '../webauthn.ts'
import { insertPasskeyChallenge, type PasskeyAnswer, takePasskeyChallenge } from './challenges.ts'
import { listPasskeys, notePasskeyUse } from './passkeys.ts'

const Options = z.object(guarded)

/** POST /passkeys/authentication/options: any passkey of this site will do; a body is not needed.
 *  @see supabase/auth internal/api/passkey_authentication.go */
export async function authenticationOptions(deps: AuthDeps, call: Call): Promise<Response> {
  const body = parseBody((await readText(call.request)) || '{}', Options)
  await verifyCaptcha(deps, call, body.gotrue_meta_security)
  const options = await requestOptions(relyingPartyOf(deps.config), [])
  const opened = await insertPasskeyChallenge(deps.db, 'authentication', null, options.challenge, call.now)
  return json({ challenge_id: opened.challenge_id, options, expires_at: opened.expires_at })
}

const Assertion = z.looseObject({
  id: z.string().min(1),
  rawId: z.string().min(1),
  type: z.literal('public-key'),
  response: z.looseObject({
    clientDataJSON: z.string().min(1),
    authenticatorData: z.string().min(1),
    signature: z.string().min(1),
    userHandle: z.string().nullish(),
  }),
})

/** POST /passkeys/authentication/verify: the passkey itself says whose it is. */
export async function verifyAuthentication(deps: AuthDeps, call: Call, body: PasskeyAnswer): Promise<Response> {
  const { db, config } = deps
  const { now, client } = call
  const { challenge, credential } = await takePasskeyChallenge(db, 'authentication', null, body, now)
  const assertion = Assertion.safeParse(credential)
  if (!assertion.success) throw authError('passkeyResponseInvalid')
  const user = await userOfHandle(deps, assertion.data.response.userHandle ?? '')
  const known = (await listPasskeys(db, user.id)).find((one) => one.credential.id === assertion.data.id)
  if (!known) throw authError('passkeyUnverified')
  const signCount = await checkAssertion(relyingPartyOf(config), challenge, assertion.data, known.credential)
  if (signCount === null) throw authError('passkeyUnverified')
  checkMaySignIn(user, now)
  const session = await withHooks(deps, ['custom_access_token'], async (deps) => {
    const opened = await startSession(deps, call, user, 'passkey')
    await deps.db.transaction(async (tx) => {
      await notePasskeyUse(tx, known.id, signCount, now)
      const traits = { passkey_id: known.id }
      await audit(tx, { actor: user, action: 'login', traits, address: client.address }, now)
    })
    return opened
  })
  return json(session)
}

async function userOfHandle({ db }: AuthDeps, handle: string): Promise<User> {
  const id = Buffer.from(handle, 'base64url').toString('utf8')
  const user = isUuid(id) ? await findUser(db, idIs(id)) : null
  if (!user) throw authError('passkeyUnverified')
  return user
}

function checkMaySignIn(user: User, now: Date): void {
  if (user.email !== '' && !user.email_confirmed_at) throw authError('passkeyEmailUnconfirmed')
  if (user.phone !== '' && !user.phone_confirmed_at) throw authError('passkeyPhoneUnconfirmed')
  if (isBanned(user, now)) throw authError('verifyBanned')
}
