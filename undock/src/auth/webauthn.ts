import type { AuthenticationResponseJSON, RegistrationResponseJSON, WebAuthnCredential } from '@simplewebauthn/server'
import { z } from 'zod'
import type { AuthConfig } from './deps.ts'
import { authError } from './errors.ts'
import type { User } from './user.ts'

/** Loaded when it is first needed: it costs as much time to start as the rest of Auth together. */
const library = () => import('@simplewebauthn/server')

export type RelyingParty = { readonly name: string; readonly id: string; readonly origins: readonly string[] }

/** @throws `unexpected_failure` while `[auth.webauthn]` does not say who the relying party is */
export function relyingPartyOf({ webauthn }: AuthConfig): RelyingParty {
  if (!webauthn?.rp_id || webauthn.rp_origins.length === 0) throw authError('webauthnUnconfigured')
  return { name: webauthn.rp_display_name || webauthn.rp_id, id: webauthn.rp_id, origins: webauthn.rp_origins }
}

/** A credential as it is stored: bytes in base64url. */
export const StoredCredential = z.object({
  id: z.string(),
  publicKey: z.string(),
  signCount: z.number(),
  transports: z.array(z.string()).default([]),
})
export type StoredCredential = z.infer<typeof StoredCredential>

export async function creationOptions(party: RelyingParty, user: User, existing: readonly StoredCredential[]) {
  const { generateRegistrationOptions } = await library()
  return generateRegistrationOptions({
    rpName: party.name,
    rpID: party.id,
    userName: user.email || user.phone || user.id,
    userDisplayName: user.email || user.phone || user.id,
    userID: new TextEncoder().encode(user.id),
    excludeCredentials: existing.map(({ id, transports }) => ({ id, transports })),
  })
}

export async function requestOptions(party: RelyingParty, allowed: readonly StoredCredential[]) {
  const { generateAuthenticationOptions } = await library()
  return generateAuthenticationOptions({
    rpID: party.id,
    allowCredentials: allowed.map(({ id, transports }) => ({
      id,
      transports: transports as NonNullable<WebAuthnCredential['transports']>,
    })),
  })
}

export type NewCredential = { readonly credential: StoredCredential; readonly aaguid: string }

/** What an authenticator made, checked against the challenge it was made for; null when it does not hold. */
export async function checkCreation(
  party: RelyingParty,
  challenge: string,
  response: unknown,
): Promise<NewCredential | null> {
  const { verifyRegistrationResponse } = await library()
  const answer = await attempt(() =>
    verifyRegistrationResponse({
      response: response as RegistrationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: [...party.origins],
      expectedRPID: party.id,
      requireUserVerification: false,
    }),
  )
  if (!answer?.verified) return null
  const { credential, aaguid } = answer.registrationInfo
  return {
    aaguid,
    credential: {
      id: credential.id,
      publicKey: Buffer.from(credential.publicKey).toString('base64url'),
      signCount: credential.counter,
      transports: credential.transports ?? [],
    },
  }
}

/** @returns the authenticator's new count of signatures, or null when the assertion does not hold */
export async function checkAssertion(
  party: RelyingParty,
  challenge: string,
  response: unknown,
  known: StoredCredential,
): Promise<number | null> {
  const { verifyAuthenticationResponse } = await library()
  const answer = await attempt(() =>
    verifyAuthenticationResponse({
      response: response as AuthenticationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: [...party.origins],
      expectedRPID: party.id,
      requireUserVerification: false,
      credential: {
        id: known.id,
        publicKey: new Uint8Array(Buffer.from(known.publicKey, 'base64url')),
        counter: known.signCount,
      },
    }),
  )
  return answer?.verified ? answer.authenticationInfo.newCounter : null
}

/** The library throws at whatever is wrong with an answer; to us each is the same refusal. */
async function attempt<T>(check: () => Promise<T>): Promise<T | null> {
  try {
    return await check()
  } catch {
    return null
  }
}
