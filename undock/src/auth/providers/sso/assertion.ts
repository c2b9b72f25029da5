import type { Json } from '../../models/params.ts'
import type { AttributeMapping } from './admin.ts'
import { elements, NS, parseXml, textOf } from './metadata.ts'

const BEARER = 'urn:oasis:names:tc:SAML:2.0:cm:bearer'

type Expected = {
  readonly recipient: string
  /** The answered request; null if the identity provider initiated the sign-in. */
  readonly requestId: string | null
  readonly now: Date
  /** Clock tolerance in milliseconds. */
  readonly skew: number
}

/** Returns until when an assertion may be presented here: its subject confirmation must name our endpoint, be
 *  unexpired, and answer our request, or none. The library checks less, and only for solicited responses.
 *  @returns null if it may not be presented (SAML Profiles 4.1.4.2, 4.1.4.3 and 4.1.5)
 *  @see crewjam/saml service_provider.go, validateAssertion */
function confirmedUntil(assertion: Element, { recipient, requestId, now, skew }: Expected): Date | null {
  for (const confirmation of elements(assertion, NS.ASSERTION, 'SubjectConfirmation')) {
    const [data] = elements(confirmation, NS.ASSERTION, 'SubjectConfirmationData')
    if (confirmation.getAttribute('Method') !== BEARER || !data) continue
    const end = Date.parse(data.getAttribute('NotOnOrAfter') ?? '') + skew
    const begin = Date.parse(data.getAttribute('NotBefore') ?? '') - skew
    const asked = data.getAttribute('InResponseTo') || null
    const isInTime = end > now.getTime() && !(begin > now.getTime())
    const isOurs = data.getAttribute('Recipient') === recipient && (asked === null || asked === requestId)
    if (isInTime && isOurs) return new Date(end)
  }
  return null
}

export type Assertion = {
  readonly id: string
  readonly until: Date | null
  readonly nameId: string
  readonly nameIdFormat: string
  readonly attributes: readonly { readonly names: readonly string[]; readonly values: readonly string[] }[]
  readonly notAfter: Date | null
}

export function readAssertion(xml: string, expected: Expected): Assertion | null {
  const root = parseXml(xml)
  if (!root) return null
  const [nameId] = elements(root, NS.ASSERTION, 'NameID')
  const ends = elements(root, NS.ASSERTION, 'AuthnStatement')
    .map((statement) => statement.getAttribute('SessionNotOnOrAfter') ?? '')
    .find((end) => !Number.isNaN(Date.parse(end)))
  return {
    id: root.getAttribute('ID') ?? '',
    until: confirmedUntil(root, expected),
    nameId: textOf(nameId),
    nameIdFormat: nameId?.getAttribute('Format') ?? '',
    attributes: elements(root, NS.ASSERTION, 'Attribute').map((attribute) => ({
      names: ['Name', 'FriendlyName'].flatMap((name) => attribute.getAttribute(name)?.toLowerCase() || []),
      values: elements(attribute, NS.ASSERTION, 'AttributeValue').map(textOf),
    })),
    notAfter: ends ? new Date(ends) : null,
  }
}

const valuesOf = ({ attributes }: Assertion, name: string): string[] =>
  attributes.filter(({ names }) => names.includes(name.toLowerCase())).flatMap(({ values }) => values)

const EMAIL_FORMAT = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress'

/** Returns the user's permanent id at the identity provider, or an empty string.
 *  @see supabase/auth internal/api/samlassertion.go */
export function userIdOf(assertion: Assertion): string {
  const [subject] = valuesOf(assertion, 'urn:oasis:names:tc:SAML:attribute:subject-id')
  if (subject) return subject
  if (assertion.nameIdFormat.endsWith(':transient')) return ''
  return assertion.nameIdFormat === EMAIL_FORMAT ? assertion.nameId.toLowerCase() : assertion.nameId
}

const EMAIL_NAMES = [
  'urn:oid:0.9.2342.19200300.100.1.3',
  'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress',
  'http://schemas.xmlsoap.org/claims/EmailAddress',
  'mail',
  'email',
]

export function emailOf(assertion: Assertion): string {
  const attribute = EMAIL_NAMES.flatMap((name) => valuesOf(assertion, name)).find((value) => value !== '')
  return attribute ?? (assertion.nameIdFormat === EMAIL_FORMAT ? assertion.nameId : '')
}

/** Returns claims by the provider's mapping: the first attribute with a value wins. */
export function mappedClaims(assertion: Assertion, { keys = {} }: AttributeMapping): Json {
  const claims: Json = {}
  for (const [claim, { name, names = [], array, default: fallback }] of Object.entries(keys)) {
    const values = [...(name ? [name] : []), ...names]
      .map((one) => valuesOf(assertion, one).filter((value) => value !== ''))
      .find((found) => found.length > 0)
    if (values) claims[claim] = array ? values : values[0]
    else if (fallback !== undefined && fallback !== null) claims[claim] = fallback
  }
  return claims
}
