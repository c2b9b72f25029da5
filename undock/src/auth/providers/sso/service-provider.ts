import { createPrivateKey, type KeyObject, randomUUID } from 'node:crypto'
import type { CacheProvider, SAML } from '@node-saml/node-saml'
import type { AuthConfig, AuthDeps } from '../../deps.ts'
import { authError } from '../../errors.ts'
import { selfSignedCertificate } from './certificate.ts'
import type { IdpMetadata } from './metadata.ts'

/** Loaded on first use: most projects never need it. */
const library = () => import('@node-saml/node-saml')

/** Tolerance for differing clocks, in milliseconds. */
export const CLOCK_SKEW = 180_000

type Site = Pick<AuthDeps, 'config' | 'externalUrl'>

export const entityIdOf = ({ externalUrl }: Site): string => `${externalUrl}/sso/saml/metadata`

export const acsOf = ({ externalUrl }: Site): string => `${externalUrl}/sso/saml/acs`

/** The private key: PKCS#1 in base64, as self-hosted Auth takes it.
 *  @throws when it is missing, malformed or too short */
function keyOf({ saml }: AuthConfig): KeyObject {
  try {
    const key = createPrivateKey({ key: Buffer.from(saml.private_key, 'base64'), format: 'der', type: 'pkcs1' })
    if ((key.asymmetricKeyDetails?.modulusLength ?? 0) >= 2048) return key
  } catch (cause) {
    throw authError('samlUnconfigured', [], { cause })
  }
  throw authError('samlUnconfigured')
}

type Options = {
  readonly idp: IdpMetadata | null
  readonly nameIdFormat?: string | null
  /** The request that the response must answer; null when the identity provider initiated the sign-in. */
  readonly requestId: string | null
}

/** The service provider's side of a connection. @see supabase/auth internal/api/saml.go */
async function serviceProvider(site: Site, { idp, nameIdFormat, requestId }: Options): Promise<SAML> {
  const { SAML, ValidateInResponseTo } = await library()
  return new SAML({
    issuer: entityIdOf(site),
    audience: entityIdOf(site),
    callbackUrl: acsOf(site),
    entryPoint: idp?.ssoUrl ?? '',
    // Metadata is made without an identity provider's certificate, but the library requires a value.
    idpCert: idp ? [...idp.certificates] : ['none'],
    privateKey: keyOf(site.config).export({ format: 'pem', type: 'pkcs8' }) as string,
    signatureAlgorithm: 'sha256',
    digestAlgorithm: 'sha256',
    identifierFormat: nameIdFormat || 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
    disableRequestedAuthnContext: true,
    // The identity provider decides whether it signs the assertion or the response; one of the two must be signed.
    wantAssertionsSigned: false,
    wantAuthnResponseSigned: false,
    acceptedClockSkewMs: CLOCK_SKEW,
    validateInResponseTo: requestId === null ? ValidateInResponseTo.never : ValidateInResponseTo.always,
    cacheProvider: onlyRequest(requestId),
    generateUniqueId: () => requestId ?? `_${randomUUID()}`,
  })
}

/** Requests are stored in the database, one relay state each: a response is valid only for its own request. */
const onlyRequest = (id: string | null): CacheProvider => ({
  saveAsync: async () => null,
  getAsync: async (asked) => (asked === id ? new Date().toISOString() : null),
  removeAsync: async () => null,
})

export type SignInRequest = { readonly requestId: string; readonly url: (relayState: string) => Promise<string> }

/** A signed request to an identity provider, for the redirect binding. */
export async function signInRequest(site: Site, idp: IdpMetadata, nameIdFormat: string | null): Promise<SignInRequest> {
  const requestId = `id-${randomUUID().replaceAll('-', '')}`
  const saml = await serviceProvider(site, { idp, nameIdFormat, requestId })
  return { requestId, url: (relayState) => saml.getAuthorizeUrlAsync(relayState, undefined, {}) }
}

/** @returns the XML of the assertion that the response's signature covers, or null when the signature is not valid */
export async function verifiedAssertion(
  site: Site,
  idp: IdpMetadata,
  requestId: string | null,
  answer: string,
): Promise<string | null> {
  const saml = await serviceProvider(site, { idp, requestId })
  try {
    const { profile } = await saml.validatePostResponseAsync({ SAMLResponse: answer })
    if (profile?.issuer !== idp.entityId) return null
    return profile.getAssertionXml?.() ?? null
  } catch {
    return null
  }
}

/** The metadata that identity providers read about this service provider. */
export async function ownMetadata(site: Site): Promise<string> {
  const saml = await serviceProvider(site, { idp: null, requestId: null })
  const certificate = selfSignedCertificate(keyOf(site.config), new URL(site.externalUrl).hostname)
  return saml.generateServiceProviderMetadata(null, certificate)
}
