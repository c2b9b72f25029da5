const METADATA = 'urn:oasis:names:tc:SAML:2.0:metadata'

/** Parses a service provider's metadata (SAML 2.0 Metadata §2.4.4). @throws {Error} if it's invalid. */
export function parseServiceProvider(xml: string): { entityId: string; acs: string } {
  const root = new DOMParser().parseFromString(xml, 'application/xml').documentElement
  const entityId = root.getAttribute('entityID')
  const acs = root.getElementsByTagNameNS(METADATA, 'AssertionConsumerService')[0]?.getAttribute('Location')
  if (!entityId || !acs) throw new Error('The auth service answered with something else than its SAML metadata.')
  return { entityId, acs }
}
