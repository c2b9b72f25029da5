import type * as WebAuthn from '@supabase/auth-js/dist/module/lib/webauthn.js'

// Stands in for the Auth client's part for passkeys in the build (see vite.config.ts), so that pages need not load it: the real one
// comes when the browser is to be asked for a passkey.

let real: typeof WebAuthn | undefined

async function load(): Promise<typeof WebAuthn> {
  real ??= await import('@supabase/auth-js/dist/module/lib/webauthn.js')
  return real
}

export const browserSupportsWebAuthn = (): boolean => 'PublicKeyCredential' in window

/** The options stay as the server sent them until the real part is there. */
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

/** The real one gives the signal, later. */
export const webAuthnAbortService = { createNewAbortSignal: () => undefined }

/** Security keys as a second factor: the app has authenticator apps alone. */
export class WebAuthnApi {}
