import { elements, NS } from './xml.ts'

const BEARER = 'urn:oasis:names:tc:SAML:2.0:cm:bearer'

export type Expected = {
  /** The assertion consumer service's URL. */
  readonly recipient: string
  /** The request that was answered; null when the identity provider initiated the sign-in. */
  readonly requestId: string | null
  readonly now: Date
  /** Tolerance for differing clocks, in milliseconds. */
  readonly skew: number
}

/** The time until which an assertion may be presented here, according to its subject confirmation: it must name our
 *  endpoint, must not have expired, and must answer the request that was made, or none. The library checks time and
 *  request only for solicited responses, and never checks the recipient.
 *  @returns null when the assertion may not be presented (SAML Profiles 4.1.4.2, 4.1.4.3 and 4.1.5)
 *  @see crewjam/saml service_provider.go, validateAssertion */
export function confirmedUntil(assertion: Element, { recipient, requestId, now, skew }: Expected): Date | null {
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
