import { createPrivateKey, type KeyObject, randomUUID } from 'node:crypto'
import type { CacheProvider, SAML } from '@node-saml/node-saml'
import type { AuthConfig, AuthDeps } from '../deps.ts'
import { authError } from '../errors.ts'
import { selfSignedCertificate } from './certificate.ts'
import type { IdpMetadata } from './metadata.ts'

/** Loaded when it is first needed: most projects never do. */
const library = () => import('@node-saml/node-saml')

/** Where clocks may differ, in milliseconds. */
const SKEW = 180_000

type Site = Pick<AuthDeps, 'config' | 'externalUrl'>

export const entityIdOf = ({ externalUrl }: Site): string => `${externalUrl}/sso/saml/metadata`

export const acsOf = ({ externalUrl }: Site): string => `${externalUrl}/sso/saml/acs`

/** PKCS#1 in base64, as self-hosted Auth takes it. @throws while it is none, or too short */
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
  /** The request that an answer must be to; null when the identity provider began. */
  readonly requestId: string | null
}

/** Our side of a connection. @see supabase/auth internal/api/saml.go */
async function serviceProvider(site: Site, { idp, nameIdFormat, requestId }: Options): Promise<SAML> {
  const { SAML, ValidateInResponseTo } = await library()
  return new SAML({
    issuer: entityIdOf(site),
    audience: entityIdOf(site),
    callbackUrl: acsOf(site),
    entryPoint: idp?.ssoUrl ?? '',
    // Of metadata, no certificate is asked for; the library wants one all the same.
    idpCert: idp ? [...idp.certificates] : ['none'],
    privateKey: keyOf(site.config).export({ format: 'pem', type: 'pkcs8' }) as string,
    signatureAlgorithm: 'sha256',
    digestAlgorithm: 'sha256',
    identifierFormat: nameIdFormat || 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
    disableRequestedAuthnContext: true,
    // One of the two must be signed; which, the identity provider decides.
    wantAssertionsSigned: false,
    wantAuthnResponseSigned: false,
    acceptedClockSkewMs: SKEW,
    validateInResponseTo: requestId === null ? ValidateInResponseTo.never : ValidateInResponseTo.always,
    cacheProvider: onlyRequest(requestId),
    generateUniqueId: () => requestId ?? `_${randomUUID()}`,
  })
}

/** Requests are remembered in the database, one relay state each: an answer is good for that one alone. */
const onlyRequest = (id: string | null): CacheProvider => ({
  saveAsync: async () => null,
  getAsync: async (asked) => (asked === id ? new Date().toISOString() : null),
  removeAsync: async () => null,
})

export type SignInRequest = { readonly requestId: string; readonly url: (relayState: string) => Promise<string> }

/** A signed request to an identity provider, by redirect. */
export async function signInRequest(site: Site, idp: IdpMetadata, nameIdFormat: string | null): Promise<SignInRequest> {
  const requestId = `id-${randomUUID().replaceAll('-', '')}`
  const saml = await serviceProvider(site, { idp, nameIdFormat, requestId })
  return { requestId, url: (relayState) => saml.getAuthorizeUrlAsync(relayState, undefined, {}) }
}

/** @returns the assertion that the answer's signature covers, as XML, or null when it does not hold */
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

/** What identity providers are told of us. */
export async function ownMetadata(site: Site): Promise<string> {
  const saml = await serviceProvider(site, { idp: null, requestId: null })
  const certificate = selfSignedCertificate(keyOf(site.config), new URL(site.externalUrl).hostname)
  return saml.generateServiceProviderMetadata(null, certificate)
}
