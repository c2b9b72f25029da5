import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { SignedXml } from 'xml-crypto'
import { NS } from '../auth/providers/sso/metadata.ts'
import { selfSignedCertificate } from '../auth/providers/sso/service-provider.ts'

const PERSISTENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent'
const CANONICAL = 'http://www.w3.org/2001/10/xml-exc-c14n#'

/** A private key as `[auth.saml] private_key` takes it: PKCS#1 in base64. */
export const newSamlKey = (): string =>
  generateKeyPairSync('rsa', { modulusLength: 2048 })
    .privateKey.export({ format: 'der', type: 'pkcs1' })
    .toString('base64')

/** An identity provider: its metadata, and a key that signs responses. */
export type SamlProvider = {
  readonly metadata: string
  sign(xml: string, element: 'Assertion' | 'Response'): string
}

/** @param signInUrl Where it lets people sign in. */
export function createSamlProvider(entityId: string, signInUrl = 'https://idp.test/sso'): SamlProvider {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const certificate = selfSignedCertificate(privateKey, 'idp')
  return {
    metadata: `<EntityDescriptor xmlns="${NS.METADATA}" entityID="${entityId}"><IDPSSODescriptor protocolSupportEnumeration="${NS.PROTOCOL}"><KeyDescriptor use="signing"><KeyInfo xmlns="${NS.SIGNATURE}"><X509Data><X509Certificate>${certificate}</X509Certificate></X509Data></KeyInfo></KeyDescriptor><SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="${signInUrl}"/></IDPSSODescriptor></EntityDescriptor>`,
    sign(xml, element) {
      const signer = new SignedXml({
        privateKey: privateKey.export({ format: 'pem', type: 'pkcs8' }),
        signatureAlgorithm: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
        canonicalizationAlgorithm: CANONICAL,
      })
      const xpath = `//*[local-name(.)='${element}']`
      signer.addReference({
        xpath,
        digestAlgorithm: 'http://www.w3.org/2001/04/xmlenc#sha256',
        transforms: ['http://www.w3.org/2000/09/xmldsig#enveloped-signature', CANONICAL],
      })
      signer.computeSignature(xml, {
        location: { reference: `${xpath}/*[local-name(.)='Issuer']`, action: 'after' },
      })
      return signer.getSignedXml()
    },
  }
}

export type SamlResponse = {
  /** The address of the auth service that it is for. */
  readonly authUrl: string
  readonly issuer: string
  readonly inResponseTo?: string
  readonly nameId?: string
  readonly format?: string
  readonly attributes?: Readonly<Record<string, readonly string[]>>
  readonly audience?: string
  readonly notOnOrAfter?: Date
  readonly sessionEnd?: Date
  readonly recipient?: string
  readonly confirmedUntil?: Date
}

const escapeXml = (text: string) => text.replace(/[<>&"']/g, (one) => `&#${one.charCodeAt(0)};`)

/** The XML of an identity provider's response, not yet signed. */
export function samlResponse(options: SamlResponse): string {
  const now = new Date()
  const end = (options.notOnOrAfter ?? new Date(now.getTime() + 300_000)).toISOString()
  const issuer = `<saml:Issuer>${options.issuer}</saml:Issuer>`
  const to = options.inResponseTo ? ` InResponseTo="${options.inResponseTo}"` : ''
  const acs = `${options.authUrl}/sso/saml/acs`
  const attributes = Object.entries(options.attributes ?? { email: ['ada@company.test'] })
    .map(([name, values]) => {
      const valueElements = values
        .map((value) => `<saml:AttributeValue>${escapeXml(value)}</saml:AttributeValue>`)
        .join('')
      return `<saml:Attribute Name="${name}">${valueElements}</saml:Attribute>`
    })
    .join('')
  const session = options.sessionEnd ? ` SessionNotOnOrAfter="${options.sessionEnd.toISOString()}"` : ''
  return `<samlp:Response xmlns:samlp="${NS.PROTOCOL}" xmlns:saml="${NS.ASSERTION}" ID="_${randomUUID()}" Version="2.0" IssueInstant="${now.toISOString()}" Destination="${acs}"${to}>${issuer}<samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status><saml:Assertion ID="_${randomUUID()}" Version="2.0" IssueInstant="${now.toISOString()}">${issuer}<saml:Subject><saml:NameID Format="${options.format ?? PERSISTENT}">${options.nameId ?? 'user-1'}</saml:NameID><saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><saml:SubjectConfirmationData NotOnOrAfter="${options.confirmedUntil?.toISOString() ?? end}" Recipient="${options.recipient ?? acs}"${to}/></saml:SubjectConfirmation></saml:Subject><saml:Conditions NotBefore="${new Date(now.getTime() - 60_000).toISOString()}" NotOnOrAfter="${end}"><saml:AudienceRestriction><saml:Audience>${options.audience ?? `${options.authUrl}/sso/saml/metadata`}</saml:Audience></saml:AudienceRestriction></saml:Conditions><saml:AuthnStatement AuthnInstant="${now.toISOString()}"${session}/><saml:AttributeStatement>${attributes}</saml:AttributeStatement></saml:Assertion></samlp:Response>`
}
