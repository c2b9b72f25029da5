import type { AuthConfig } from '../../deps.ts'
import type { AuthErrorName } from '../../errors.ts'
import { type Route, route } from '../../http/router.ts'
import { samlAcs } from './acs.ts'
import { createProvider, deleteProvider, getProvider, listProviders, SsoProviderBody, updateProvider } from './admin.ts'
import { SingleSignOn, samlMetadata, singleSignOn } from './sign-in.ts'

const unless = ({ saml }: AuthConfig): AuthErrorName | null => (saml.enabled ? null : 'samlDisabled')

// biome-ignore format: a table
export const ssoRoutes: readonly Route[] = [
  route('POST',   '/sso',               'anyone', SingleSignOn, singleSignOn, { unless, limit: 'sso', captcha: true }),
  route('GET',    '/sso/saml/metadata', 'anyone', null,         samlMetadata, { unless }),
  route('POST',   '/sso/saml/acs',      'anyone', null,         samlAcs,      { unless, limit: 'samlAssertion' }),
  route('GET',    '/saml/metadata',     'anyone', null,         samlMetadata, { unless }),
  route('POST',   '/saml/acs',          'anyone', null,         samlAcs,      { unless, limit: 'samlAssertion' }),
  route('GET',    '/admin/sso/providers',          'service', null,            listProviders),
  route('POST',   '/admin/sso/providers',          'service', SsoProviderBody, createProvider),
  route('GET',    '/admin/sso/providers/{idp_id}', 'service', null,            getProvider),
  route('PUT',    '/admin/sso/providers/{idp_id}', 'service', SsoProviderBody, updateProvider),
  route('DELETE', '/admin/sso/providers/{idp_id}', 'service', null,            deleteProvider),
]
