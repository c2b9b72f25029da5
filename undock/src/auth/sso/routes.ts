import type { AuthConfig } from '../deps.ts'
import type { Refusal } from '../errors.ts'
import { type Route, route } from '../route.ts'
import { samlAcs } from './acs.ts'
import { createProvider, deleteProvider, getProvider, listProviders, SsoProviderBody, updateProvider } from './admin.ts'
import { SingleSignOn, samlMetadata, singleSignOn } from './sign-in.ts'

const unless = ({ saml }: AuthConfig): Refusal | null => (saml.enabled ? null : 'samlDisabled')

// biome-ignore format: a table
export const ssoRoutes: readonly Route[] = [
  route('POST',   '/sso',               'anyone', SingleSignOn, singleSignOn, { unless, limit: 'sso', captcha: true }),
  route('GET',    '/sso/saml/metadata', 'anyone', null,         samlMetadata, { unless }),
  route('POST',   '/sso/saml/acs',      'anyone', null,         samlAcs,      { unless, limit: 'samlAssertion' }),
  // As openapi.yaml has them.
  route('GET',    '/saml/metadata',     'anyone', null,         samlMetadata, { unless }),
  route('POST',   '/saml/acs',          'anyone', null,         samlAcs,      { unless, limit: 'samlAssertion' }),
  // Connections are set up whether single sign-on is on yet or not.
  route('GET',    '/admin/sso/providers',          'admin', null,            listProviders),
  route('POST',   '/admin/sso/providers',          'admin', SsoProviderBody, createProvider),
  route('GET',    '/admin/sso/providers/{idp_id}', 'admin', null,            getProvider),
  route('PUT',    '/admin/sso/providers/{idp_id}', 'admin', SsoProviderBody, updateProvider),
  route('DELETE', '/admin/sso/providers/{idp_id}', 'admin', null,            deleteProvider),
]
