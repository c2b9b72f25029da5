import { createPrivateKey, createPublicKey, type KeyObject, randomUUID, sign } from 'node:crypto'
import type { CacheProvider, SAML } from '@node-saml/node-saml'
import type { AuthConfig, AuthDeps } from '../../deps.ts'
import { authError } from '../../errors.ts'
import type { IdpMetadata } from './metadata.ts'

// X.509 v3 in DER (RFC 5280 §4.1), only as much as metadata needs to name a key: Node cannot create certificates.

const encode = (tag: number, ...parts: readonly Buffer[]): Buffer => {
  const content = Buffer.concat(parts)
  const { length } = content
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

const sequence = (...parts: readonly Buffer[]): Buffer => encode(0x30, ...parts)

const integer = (value: number): Buffer => encode(0x02, Buffer.from([value]))

const objectId = (hex: string): Buffer => encode(0x06, Buffer.from(hex, 'hex'))

/** sha256WithRSAEncryption, 1.2.840.113549.1.1.11. */
const RSA_SHA256 = sequence(objectId('2a864886f70d01010b'), Buffer.from([0x05, 0x00]))

const COMMON_NAME = '550403'

/** Valid for a hundred years from 2020; the end is written with a four-digit year, as required from 2050 on. */
const VALIDITY = sequence(encode(0x17, Buffer.from('200101000000Z')), encode(0x18, Buffer.from('21200101000000Z')))

/** A self-signed certificate of an RSA key; the same key always gives the same bytes. @returns DER in base64 */
export function selfSignedCertificate(key: KeyObject, commonName: string): string {
  const name = sequence(encode(0x31, sequence(objectId(COMMON_NAME), encode(0x0c, Buffer.from(commonName)))))
  const publicKey = createPublicKey(key).export({ format: 'der', type: 'spki' })
  const version3 = encode(0xa0, integer(2))
  const content = sequence(version3, integer(1), RSA_SHA256, name, VALIDITY, name, publicKey)
  const signature = encode(0x03, Buffer.from([0]), sign('sha256', content, key))
  return sequence(content, RSA_SHA256, signature).toString('base64')
}

/** Loaded on first use: most projects never need it. */
const library = () => import('@node-saml/node-saml')

/** Tolerance for differing clocks, in milliseconds. */
export const CLOCK_SKEW = 180_000

type Site = Pick<AuthDeps, 'config' | 'externalUrl'>

const entityIdOf = ({ externalUrl }: Site): string => `${externalUrl}/sso/saml/metadata`

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
