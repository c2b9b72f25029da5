import { createPrivateKey, createPublicKey, type KeyObject, randomUUID, sign } from 'node:crypto'
import type { CacheProvider, SAML } from '@node-saml/node-saml'
import type { AuthConfig, AuthDeps } from '../../deps.ts'
import { authError } from '../../errors.ts'
import type { IdpMetadata } from './metadata.ts'

// X.509 v3 in DER (RFC 5280 §4.1), only what metadata needs to name a key: Node can't create certificates.

const encode = (tag: number, ...parts: readonly Buffer[]): Buffer => {
  const content = Buffer.concat(parts)
  const { length } = content
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

const sequence = (...parts: readonly Buffer[]): Buffer => encode(0x30, ...parts)

const integer = (value: number): Buffer => encode(0x02, Buffer.from([value]))

const objectId = (hex: string): Buffer => encode(0x06, Buffer.from(hex, 'hex'))

const RSA_SHA256 = sequence(objectId('2a864886f70d01010b'), Buffer.from([0x05, 0x00]))

const COMMON_NAME = '550403'

/** A hundred years from 2020; the end has a four-digit year, as required from 2050. */
const VALIDITY = sequence(encode(0x17, Buffer.from('200101000000Z')), encode(0x18, Buffer.from('21200101000000Z')))

/** Returns a self-signed certificate for an RSA key (DER in base64); the same key always gives the same bytes. */
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

/** Clock tolerance in milliseconds. */
export const CLOCK_SKEW = 180_000

type Site = Pick<AuthDeps, 'config' | 'externalUrl'>

const entityIdOf = ({ externalUrl }: Site): string => `${externalUrl}/sso/saml/metadata`

export const acsOf = ({ externalUrl }: Site): string => `${externalUrl}/sso/saml/acs`

/** The private key: base64 PKCS#1, as in self-hosted Auth. @throws if missing, malformed or too short */
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
  readonly requestId: string | null
}

async function serviceProvider(site: Site, { idp, nameIdFormat, requestId }: Options): Promise<SAML> {
  const { SAML, ValidateInResponseTo } = await library()
  return new SAML({
    issuer: entityIdOf(site),
    audience: entityIdOf(site),
    callbackUrl: acsOf(site),
    entryPoint: idp?.ssoUrl ?? '',
    // Metadata needs no identity provider's certificate, but the library requires a value.
    idpCert: idp ? [...idp.certificates] : ['none'],
    privateKey: keyOf(site.config).export({ format: 'pem', type: 'pkcs8' }) as string,
    signatureAlgorithm: 'sha256',
    digestAlgorithm: 'sha256',
    identifierFormat: nameIdFormat || 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
    disableRequestedAuthnContext: true,
    // The identity provider signs either the assertion or the response; one is required.
    wantAssertionsSigned: false,
    wantAuthnResponseSigned: false,
    acceptedClockSkewMs: CLOCK_SKEW,
    validateInResponseTo: requestId === null ? ValidateInResponseTo.never : ValidateInResponseTo.always,
    cacheProvider: onlyRequest(requestId),
    generateUniqueId: () => requestId ?? `_${randomUUID()}`,
  })
}

/** Requests are in the database, with a relay state each: a response is only valid for its own request. */
const onlyRequest = (id: string | null): CacheProvider => ({
  saveAsync: async () => null,
  getAsync: async (asked) => (asked === id ? new Date().toISOString() : null),
  removeAsync: async () => null,
})

export type SignInRequest = { readonly requestId: string; readonly url: (relayState: string) => Promise<string> }

/** Returns a signed sign-in request for the redirect binding. */
export async function signInRequest(site: Site, idp: IdpMetadata, nameIdFormat: string | null): Promise<SignInRequest> {
  const requestId = `id-${randomUUID().replaceAll('-', '')}`
  const saml = await serviceProvider(site, { idp, nameIdFormat, requestId })
  return { requestId, url: (relayState) => saml.getAuthorizeUrlAsync(relayState, undefined, {}) }
}

/** @returns the assertion's XML covered by the response's signature, or null if that's invalid */
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

/** Returns our metadata, which identity providers read. */
export async function ownMetadata(site: Site): Promise<string> {
  const saml = await serviceProvider(site, { idp: null, requestId: null })
  const certificate = selfSignedCertificate(keyOf(site.config), new URL(site.externalUrl).hostname)
  return saml.generateServiceProviderMetadata(null, certificate)
}
