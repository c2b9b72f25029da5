import type {
  AuthenticationResponseJSON,
  GenerateRegistrationOptionsOpts,
  RegistrationResponseJSON,
  WebAuthnCredential,
} from '@simplewebauthn/server'
import { z } from 'zod'
import type { Config } from '../../config/config.ts'
import { authError } from '../errors.ts'
import type { User } from '../models/user.ts'

/** Loaded on demand: it takes as long to start as the rest of Auth. */
const library = () => import('@simplewebauthn/server')

export type RelyingParty = { readonly name: string; readonly id: string; readonly origins: readonly string[] }

export function relyingPartyOf({ webauthn }: Pick<Config['auth'], 'webauthn'>): RelyingParty {
  if (!webauthn?.rp_id || webauthn.rp_origins.length === 0) throw authError('webauthnUnconfigured')
  return { name: webauthn.rp_display_name || webauthn.rp_id, id: webauthn.rp_id, origins: webauthn.rp_origins }
}

/** A stored credential; bytes in base64url. */
export const StoredCredential = z.object({
  id: z.string(),
  publicKey: z.string(),
  signCount: z.number(),
  transports: z.array(z.string()).default([]),
})
export type StoredCredential = z.infer<typeof StoredCredential>

type Selection = NonNullable<GenerateRegistrationOptionsOpts['authenticatorSelection']>

export async function creationOptions(
  party: RelyingParty,
  user: User,
  existing: readonly StoredCredential[],
  authenticatorSelection?: Selection,
) {
  const { generateRegistrationOptions } = await library()
  return generateRegistrationOptions({
    rpName: party.name,
    rpID: party.id,
    userName: user.email || user.phone || user.id,
    userDisplayName: displayNameOf(user),
    userID: new TextEncoder().encode(user.id),
    excludeCredentials: existing.map(({ id, transports }) => ({ id, transports })),
    ...(authenticatorSelection ? { authenticatorSelection } : {}),
  })
}

function displayNameOf({ raw_user_meta_data: { name }, email, phone, id }: User): string {
  return typeof name === 'string' && name !== '' ? name : email || phone || id
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

export type NewCredential = {
  readonly credential: StoredCredential
  readonly aaguid: string
  readonly attestation: string
  readonly backupEligible: boolean
  readonly backedUp: boolean
}

const CreationResponse = z.looseObject({
  id: z.string().min(1),
  rawId: z.string().min(1),
  type: z.literal('public-key'),
  response: z.looseObject({ clientDataJSON: z.string().min(1), attestationObject: z.string().min(1) }),
})

export const isCreationResponse = (response: unknown): boolean => CreationResponse.safeParse(response).success

const expected = ({ id, origins }: RelyingParty, expectedChallenge: string) => ({
  expectedChallenge,
  expectedOrigin: [...origins],
  expectedRPID: id,
  requireUserVerification: false,
})

/** Checks a new credential against its challenge; null if invalid. */
export async function checkCreation(
  party: RelyingParty,
  challenge: string,
  response: unknown,
): Promise<NewCredential | null> {
  const { verifyRegistrationResponse } = await library()
  const answer = await attempt(() =>
    verifyRegistrationResponse({
      response: response as RegistrationResponseJSON,
      ...expected(party, challenge),
    }),
  )
  if (!answer?.verified) return null
  const { credential, aaguid, fmt, credentialDeviceType, credentialBackedUp } = answer.registrationInfo
  const bytes = Buffer.byteLength(credential.id, 'base64url')
  if (bytes > MAX_ID_BYTES || credential.publicKey.byteLength > MAX_KEY_BYTES) return null
  return {
    aaguid,
    attestation: fmt,
    backupEligible: credentialDeviceType === 'multiDevice',
    backedUp: credentialBackedUp,
    credential: {
      id: credential.id,
      publicKey: Buffer.from(credential.publicKey).toString('base64url'),
      signCount: credential.counter,
      transports: Transports.parse(credential.transports),
    },
  }
}

/** The standard's limit for ids (WebAuthn Level 3, 4); keys of all its signatures are shorter. */
const MAX_ID_BYTES = 1023
const MAX_KEY_BYTES = 8192

/** Reported by the page, not signed by the authenticator. Unknown ones are ignored (WebAuthn Level 3, 5.8.4). */
const Transport = z.enum(['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'])
const Transports = z
  .array(z.unknown())
  .catch([])
  .transform((told) => [...new Set(told.filter((one) => Transport.safeParse(one).success) as string[])])

/** @returns the authenticator's new signature count, or null if the assertion is invalid */
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
      ...expected(party, challenge),
      credential: {
        id: known.id,
        publicKey: new Uint8Array(Buffer.from(known.publicKey, 'base64url')),
        counter: known.signCount,
      },
    }),
  )
  return answer?.verified ? answer.authenticationInfo.newCounter : null
}

/** The library throws for anything wrong with an answer; to us it's all the same refusal. */
async function attempt<T>(check: () => Promise<T>): Promise<T | null> {
  try {
    return await check()
  } catch {
    return null
  }
}
