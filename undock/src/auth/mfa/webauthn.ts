import { z } from 'zod'
import { execute } from '../../database/db.ts'
import {
  checkAssertion,
  checkCreation,
  creationOptions,
  relyingPartyOf,
  requestOptions,
  StoredCredential,
} from '../credentials/webauthn.ts'
import type { AuthDeps } from '../deps.ts'
import { authError } from '../errors.ts'
import { upgradeSession } from '../flows/session-upgrade.ts'
import { type AuthenticatedCall, type Call, json } from '../http/call.ts'
import { audit } from '../models/audit.ts'
import type { Queryable } from '../models/auth-db.ts'
import { object, text } from '../models/params.ts'
import type { Factor, User } from '../models/user.ts'
import { CHALLENGE_EXPIRY, consumeChallenge, findOpenChallenge, insertChallenge } from './challenges.ts'

export const WebauthnAnswer = z.object({ type: text, credential_response: object.nullish() }).nullish()
export type WebauthnAnswer = z.infer<typeof WebauthnAnswer>

const SessionData = z.object({ challenge: z.string() })

/** Asks the authenticator to create a credential, or to sign with the existing one.
 *  @see supabase/auth internal/api/mfa.go, challengeWebAuthnFactor */
export async function challengeWebauthn(deps: AuthDeps, call: AuthenticatedCall, factor: Factor): Promise<Response> {
  const { user } = call.caller
  const { now, client } = call
  const party = relyingPartyOf(deps.config)
  const own = credentialOf(factor)
  const options = own ? await requestOptions(party, [own]) : await creationOptions(party, user, credentialsOf(user))
  const type = own ? 'request' : 'create'
  const id = await deps.db.transaction(async (tx) => {
    const traits = { factor_id: factor.id, factor_status: factor.status }
    await audit(tx, { actor: user, action: 'challenge_created', traits, address: client.address }, now)
    return insertChallenge(tx, {
      factorId: factor.id,
      address: client.address,
      now,
      expected: {
        webauthn: { challenge: options.challenge, rp_id: party.id, type },
      },
    })
  })
  return json({
    id,
    type: 'webauthn',
    expires_at: Math.floor(now.getTime() / 1000) + CHALLENGE_EXPIRY,
    webauthn: { type, credential_options: { publicKey: options } },
  })
}

/** @see supabase/auth internal/api/mfa.go, verifyWebAuthnFactor */
export async function verifyWebauthn(
  deps: AuthDeps,
  call: AuthenticatedCall,
  {
    factor,
    challengeId,
    answer,
  }: { readonly factor: Factor; readonly challengeId: string; readonly answer: WebauthnAnswer },
): Promise<Response> {
  const { user, session } = call.caller
  if (!session) throw authError('sessionNeeded')
  if (!answer) throw authError('webauthnMissing')
  if (answer.type !== 'create' && answer.type !== 'request') throw authError('webauthnType')
  if (!answer.credential_response) throw authError('webauthnResponseMissing')
  const opened = await findOpenChallenge(deps, call, factor, challengeId)
  const { challenge } = SessionData.parse(opened.web_authn_session_data)
  const save = await check(deps, call, { factor, challenge, response: answer.credential_response })
  const response = await upgradeSession(deps, call, { user, session, factor }, async (tx) => {
    await consumeChallenge(tx, call, { factor, id: challengeId })
    await save(tx)
  })
  return json(response)
}

type Answered = { readonly factor: Factor; readonly challenge: string; readonly response: unknown }
type Save = (tx: Queryable) => Promise<void>

/** Checks the answer. Which kind is accepted depends on whether the factor has a credential, not on the client's type.
 *  @returns what to store after a valid answer */
async function check({ config }: AuthDeps, { now }: Call, { factor, challenge, response }: Answered): Promise<Save> {
  const party = relyingPartyOf(config)
  const own = credentialOf(factor)
  if (!own) {
    const created = await checkCreation(party, challenge, response)
    if (!created) throw authError('webauthnInvalid')
    return async (tx) => {
      await execute(tx)`update auth.mfa_factors
        set web_authn_credential = ${created.credential}, web_authn_aaguid = ${created.aaguid},
        updated_at = ${now} where id = ${factor.id}`
    }
  }
  const signCount = await checkAssertion(party, challenge, response, own)
  if (signCount === null) throw authError('webauthnInvalid')
  return async (tx) => {
    await execute(tx)`update auth.mfa_factors set web_authn_credential = ${{ ...own, signCount }}, updated_at = ${now}
      where id = ${factor.id}`
  }
}

function credentialOf({ web_authn_credential: stored }: Factor): StoredCredential | null {
  const parsed = StoredCredential.safeParse(stored)
  return parsed.success ? parsed.data : null
}

const credentialsOf = ({ factors }: User): StoredCredential[] =>
  factors.flatMap((factor) => {
    const credential = credentialOf(factor)
    return credential ? [credential] : []
  })
