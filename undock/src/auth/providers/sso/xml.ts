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
