import { DOMParser } from '@xmldom/xmldom'

const PROTOCOL = 'urn:oasis:names:tc:SAML:2.0:protocol'
const ASSERTION = 'urn:oasis:names:tc:SAML:2.0:assertion'
const METADATA = 'urn:oasis:names:tc:SAML:2.0:metadata'
const SIGNATURE = 'http://www.w3.org/2000/09/xmldsig#'

export const NS = { PROTOCOL, ASSERTION, METADATA, SIGNATURE } as const

/** Parses XML, never reading external entities. @returns null if invalid */
export function parseXml(text: string): Element | null {
  // A document type could define entities that expand without limit.
  if (/<!DOCTYPE/i.test(text)) return null
  let isFaulty = false
  const errorHandler = { error: () => (isFaulty = true), fatalError: () => (isFaulty = true), warning: () => undefined }
  const document = new DOMParser({ errorHandler }).parseFromString(text, 'text/xml')
  return isFaulty ? null : (document?.documentElement ?? null)
}

export const elements = (parent: Element, namespace: string, name: string): Element[] =>
  Array.from(parent.getElementsByTagNameNS(namespace, name))

export const textOf = (element: Element | undefined): string => element?.textContent?.trim() ?? ''

export type IdpMetadata = {
  readonly entityId: string
  /** The redirect binding's sign-in address, or empty. */
  readonly ssoUrl: string
  readonly certificates: readonly string[]
}

const REDIRECT = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect'

/** Parses metadata. @returns what's wrong with it, in upstream's words
 *  @see supabase/auth internal/api/ssoadmin.go, parseSAMLMetadata */
export function parseMetadata(xml: string): IdpMetadata | string {
  const root = parseXml(xml)
  const entity = root?.localName === 'EntitiesDescriptor' ? elements(root, NS.METADATA, 'EntityDescriptor')[0] : root
  if (entity?.localName !== 'EntityDescriptor') return 'SAML Metadata is not valid XML with an EntityDescriptor'
  const entityId = entity.getAttribute('entityID') ?? ''
  if (entityId === '') return 'SAML Metadata does not contain an EntityID'
  if (Buffer.byteLength(entityId) > 1024) return 'SAML Metadata contains an EntityID of more than 1024 bytes'
  const [idp, ...more] = elements(entity, NS.METADATA, 'IDPSSODescriptor')
  if (!idp) return 'SAML Metadata does not contain any IDPSSODescriptor'
  if (more.length > 0) return 'SAML Metadata contains multiple IDPSSODescriptors'
  const service = elements(idp, NS.METADATA, 'SingleSignOnService').find(
    (one) => one.getAttribute('Binding') === REDIRECT,
  )
  const signing = elements(idp, NS.METADATA, 'KeyDescriptor').filter((key) => key.getAttribute('use') !== 'encryption')
  const ssoUrl = service?.getAttribute('Location') ?? ''
  // Users' browsers go there, and a script URL would run on the page that sends them.
  if (ssoUrl !== '' && !/^https?:$/.test(URL.parse(ssoUrl)?.protocol ?? '')) {
    return 'SAML Metadata contains a SingleSignOnService whose Location is no address of the web'
  }
  return {
    entityId,
    ssoUrl,
    certificates: signing
      .flatMap((key) => elements(key, NS.SIGNATURE, 'X509Certificate'))
      .map((certificate) => textOf(certificate).replace(/\s+/g, ''))
      .filter((certificate) => certificate !== ''),
  }
}
