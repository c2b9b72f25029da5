import { z } from 'zod'
import { checkAssertion, relyingPartyOf, requestOptions } from '../credentials/webauthn.ts'
import type { AuthDeps } from '../deps.ts'
import { authError } from '../errors.ts'
import { startSession } from '../flows/start-session.ts'
import { withHooks } from '../hooks/hooks.ts'
import { parseBody, readText } from '../http/body.ts'
import { type Call, json } from '../http/call.ts'
import { captchaParams, verifyCaptcha } from '../http/captcha.ts'
import { audit } from '../models/audit.ts'
import { isUuid } from '../models/params.ts'
import { isBanned, type User } from '../models/user.ts'
import { findUser, idIs } from '../models/users.ts'
import { consumePasskeyChallenge, insertPasskeyChallenge, type PasskeyAnswer } from './challenges.ts'
import { listPasskeys, recordPasskeyUse } from './passkeys.ts'

const Options = z.object(captchaParams)

/** POST /passkeys/authentication/options: allows any passkey of this site. The body is optional.
 *  @see supabase/auth internal/api/passkey_authentication.go */
export async function authenticationOptions(deps: AuthDeps, call: Call): Promise<Response> {
  const body = parseBody((await readText(call.request)) || '{}', Options)
  await verifyCaptcha(deps, call, body.gotrue_meta_security)
  const options = await requestOptions(relyingPartyOf(deps.config), [])
  const opened = await insertPasskeyChallenge(deps.db, {
    purpose: 'authentication',
    userId: null,
    challenge: options.challenge,
    now: call.now,
  })
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

/** POST /passkeys/authentication/verify: the passkey identifies the user. */
export async function verifyAuthentication(deps: AuthDeps, call: Call, body: PasskeyAnswer): Promise<Response> {
  const { db, config } = deps
  const { now, client } = call
  const { challenge, credential } = await consumePasskeyChallenge(db, {
    purpose: 'authentication',
    userId: null,
    answer: body,
    now,
  })
  const assertion = Assertion.safeParse(credential)
  if (!assertion.success) throw authError('passkeyResponseInvalid')
  const user = await userOfHandle(deps, assertion.data.response.userHandle ?? '')
  const passkey = (await listPasskeys(db, user.id)).find((one) => one.credential.id === assertion.data.id)
  if (!passkey) throw authError('passkeyUnverified')
  const signCount = await checkAssertion(relyingPartyOf(config), challenge, assertion.data, passkey.credential)
  if (signCount === null) throw authError('passkeyUnverified')
  checkMaySignIn(user, now)
  const session = await withHooks(deps, ['custom_access_token'], async (deps) => {
    if (!(await recordPasskeyUse(deps.db, passkey.id, signCount, now))) throw authError('passkeyUnverified')
    const opened = await startSession(deps, call, { user, method: 'passkey' })
    const traits = { passkey_id: passkey.id }
    await audit(deps.db, { actor: user, action: 'login', traits, address: client.address }, now)
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
