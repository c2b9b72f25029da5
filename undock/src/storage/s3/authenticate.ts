import { TokenError } from '../../identity/identity.ts'
import type { Principal } from '../../kernel/service.ts'
import { SERVICE } from '../caller.ts'
import type { StorageDeps } from '../deps.ts'
import { storageError } from '../errors.ts'
import { TOKEN_FAULTS } from '../http/router.ts'
import type { Signature } from './signature.ts'
import { type Credentials, Signer } from './signer.ts'

/** The S3 keys of `supabase start`, the same on every machine, which act as the service role. */
export const LOCAL_CREDENTIALS: Credentials = {
  accessKey: '625729a08b95bf1b7ff351a663f3a23c',
  secretKey: '850181e4652dd023b7a98c58ae0d2d34bd487ee0cc3254aed6eda37307425907',
  region: 'local',
}

/** The access key for signing with the project's anon key and a user's token. */
export const SESSION_ACCESS_KEY = 'stub'

export type Authenticated = { readonly principal: Principal; readonly signer: Signer }

/** Returns who signed: the service (the stack's own keys), or a token's user (the anon key and a session token).
 *  @param accepts Whether the signature matches the request.
 *  @throws {StorageError} SignatureDoesNotMatch, AccessDenied, InvalidJWT
 *  @see storage-api src/http/plugins/signature-v4.ts */
export async function authenticate(
  signature: Signature,
  accepts: (signer: Signer) => boolean,
  { identity, credentials }: Pick<StorageDeps, 'identity' | 'credentials'>,
): Promise<Authenticated> {
  const { sessionToken } = signature
  const secrets = sessionToken === undefined ? [credentials.secretKey] : [identity.keys.anon, identity.keys.publishable]
  const accessKey = sessionToken === undefined ? credentials.accessKey : SESSION_ACCESS_KEY
  const signer = secrets
    .map((secretKey) => new Signer(signature, { accessKey, secretKey, region: credentials.region }))
    .find(accepts)
  if (!signer) throw doesNotMatch(sessionToken !== undefined)
  if (sessionToken === undefined) return { principal: SERVICE, signer }
  try {
    return { principal: await identity.verify(sessionToken), signer }
  } catch (error) {
    if (!(error instanceof TokenError)) throw error
    throw storageError('InvalidJWT', { message: TOKEN_FAULTS[error.fault] ?? error.message, cause: error })
  }
}

const doesNotMatch = (session: boolean) =>
  storageError('SignatureDoesNotMatch', {
    message: session
      ? 'The request signature we calculated does not match the signature you provided, Check your credentials. ' +
        'The session token should be a valid JWT token'
      : 'The request signature we calculated does not match the signature you provided. ' +
        'Check your key and signing method.',
  })
