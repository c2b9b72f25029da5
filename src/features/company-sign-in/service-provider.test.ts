// @vitest-environment jsdom
import { expect, test } from 'vitest'
import { parseServiceProvider } from './service-provider.ts'

const METADATA = `<?xml version="1.0"?>
<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="https://api.example/auth/v1/sso/saml/metadata">
  <md:SPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">
    <md:AssertionConsumerService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="https://api.example/auth/v1/sso/saml/acs" index="1"/>
  </md:SPSSODescriptor>
</md:EntityDescriptor>`

test('metadata has what an identity provider needs', () => {
  expect(parseServiceProvider(METADATA)).toEqual({
    entityId: 'https://api.example/auth/v1/sso/saml/metadata',
    acs: 'https://api.example/auth/v1/sso/saml/acs',
  })
})

test.each(['', '<html><body>Bad gateway</body></html>', METADATA.replace(/<md:Assertion.*/, '')])(
  'invalid metadata is rejected: %s',
  (text) => {
    expect(() => parseServiceProvider(text)).toThrow('something else than its SAML metadata')
  },
)
