import type * as WebAuthn from '@supabase/auth-js/dist/module/lib/webauthn.js'

// Build-time stand-in for the auth client's passkey code (see vite.config.ts): loads it when a passkey is requested.

let real: typeof WebAuthn | undefined

async function load(): Promise<typeof WebAuthn> {
  real ??= await import('@supabase/auth-js/dist/module/lib/webauthn.js')
  return real
}

export const browserSupportsWebAuthn = (): boolean => 'PublicKeyCredential' in window

/** Keeps the server's options until the real code is loaded. */
const unread = (options: unknown) => options

export { unread as deserializeCredentialCreationOptions, unread as deserializeCredentialRequestOptions }

type Asked<Options> = { publicKey: Options; signal?: AbortSignal | undefined }

export async function createCredential({
  publicKey,
  signal,
}: Asked<Parameters<typeof WebAuthn.deserializeCredentialCreationOptions>[0]>) {
  const webAuthn = await load()
  return webAuthn.createCredential({
    publicKey: webAuthn.deserializeCredentialCreationOptions(publicKey),
    signal: signal ?? webAuthn.webAuthnAbortService.createNewAbortSignal(),
  })
}

export async function getCredential({
  publicKey,
  signal,
  ...options
}: Asked<Parameters<typeof WebAuthn.deserializeCredentialRequestOptions>[0]> & { mediation?: 'conditional' }) {
  const webAuthn = await load()
  return webAuthn.getCredential({
    ...options,
    publicKey: webAuthn.deserializeCredentialRequestOptions(publicKey),
    signal: signal ?? webAuthn.webAuthnAbortService.createNewAbortSignal(),
  })
}

function loaded(): typeof WebAuthn {
  if (!real) throw new Error('A credential is asked for before it is written.')
  return real
}

export const serializeCredentialCreationResponse: typeof WebAuthn.serializeCredentialCreationResponse = (credential) =>
  loaded().serializeCredentialCreationResponse(credential)

export const serializeCredentialRequestResponse: typeof WebAuthn.serializeCredentialRequestResponse = (credential) =>
  loaded().serializeCredentialRequestResponse(credential)

/** The real one provides the signal later. */
export const webAuthnAbortService = { createNewAbortSignal: () => undefined }

/** Security keys as second factors; the app only has authenticator apps. */
export class WebAuthnApi {}
