import { z } from 'zod'
import { sql, statement } from '../kernel/sql.ts'
import { audit } from './audit.ts'
import type { Queryable } from './auth-db.ts'
import { type CallerCall, json } from './call.ts'
import { CHALLENGE_EXPIRY, insertChallenge, openChallenge, useChallenge } from './challenges.ts'
import type { AuthDeps } from './deps.ts'
import { authError } from './errors.ts'
import { object, text } from './params.ts'
import { raiseSession } from './session-raise.ts'
import type { Factor, User } from './user.ts'
import {
  checkAssertion,
  checkCreation,
  creationOptions,
  relyingPartyOf,
  requestOptions,
  StoredCredential,
} from './webauthn.ts'

/** What a client sends of WebAuthn beside the challenge. */
export const WebauthnAnswer = z.object({ type: text, credential_response: object.nullish() }).nullish()
export type WebauthnAnswer = z.infer<typeof WebauthnAnswer>

const SessionData = z.object({ challenge: z.string() })

/** Asks the authenticator to make a credential, or to use the one it made.
 *  @see supabase/auth internal/api/mfa.go, challengeWebAuthnFactor */
export async function challengeWebauthn(deps: AuthDeps, call: CallerCall, factor: Factor): Promise<Response> {
  const { user } = call.caller
  const { now, client } = call
  const party = relyingPartyOf(deps.config)
  const own = credentialOf(factor)
  const options = own ? await requestOptions(party, [own]) : await creationOptions(party, user, credentialsOf(user))
  const type = own ? 'request' : 'create'
  const id = await deps.db.transaction(async (tx) => {
    const traits = { factor_id: factor.id, factor_status: factor.status }
    await audit(tx, { actor: user, action: 'challenge_created', traits, address: client.address }, now)
    return insertChallenge(tx, factor.id, client.address, now, {
      webauthn: { challenge: options.challenge, rp_id: party.id, type },
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
  call: CallerCall,
  factor: Factor,
  challengeId: string,
  answer: WebauthnAnswer,
): Promise<Response> {
  const { user, session } = call.caller
  if (!session) throw authError('sessionNeeded')
  if (!answer) throw authError('webauthnMissing')
  if (answer.type !== 'create' && answer.type !== 'request') throw authError('webauthnType')
  if (!answer.credential_response) throw authError('webauthnResponseMissing')
  const opened = await openChallenge(deps, call, factor, challengeId)
  const { challenge } = SessionData.parse(opened.web_authn_session_data)
  const save = await check(deps, factor, challenge, answer.credential_response)
  const proved = { user, session, factor, challengeId, method: 'mfa/webauthn' } as const
  const response = await raiseSession(deps, call, proved, async (tx) => {
    await useChallenge(tx, call, factor, challengeId)
    await save(tx)
  })
  return json(response)
}

type Save = (tx: Queryable) => Promise<void>

/** What the factor itself is decides which kind of answer counts, not what the client calls it.
 *  @returns what is to be stored of a good answer */
async function check({ config, clock }: AuthDeps, factor: Factor, challenge: string, response: unknown): Promise<Save> {
  const party = relyingPartyOf(config)
  const own = credentialOf(factor)
  const now = clock.now()
  if (!own) {
    const made = await checkCreation(party, challenge, response)
    if (!made) throw authError('webauthnInvalid')
    return async (tx) => {
      await tx.query(
        statement(sql`update auth.mfa_factors set web_authn_credential = ${made.credential}, web_authn_aaguid = ${made.aaguid},
          updated_at = ${now} where id = ${factor.id}`),
      )
    }
  }
  const signCount = await checkAssertion(party, challenge, response, own)
  if (signCount === null) throw authError('webauthnInvalid')
  return async (tx) => {
    await tx.query(
      statement(sql`update auth.mfa_factors set web_authn_credential = ${{ ...own, signCount }}, updated_at = ${now}
        where id = ${factor.id}`),
    )
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
