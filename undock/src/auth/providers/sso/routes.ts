import { z } from 'zod'
import type { AuthConfig, AuthDeps } from '../../deps.ts'
import { type AuthErrorName, authError } from '../../errors.ts'
import { type Call, json } from '../../http/call.ts'
import { captchaParams } from '../../http/captcha.ts'
import { type Route, route } from '../../http/router.ts'
import { insertFlowState } from '../../models/flow-states.ts'
import { checkPkce, flag, isUuid, pkce, text } from '../../models/params.ts'
import { samlAcs } from './acs.ts'
import { createProvider, deleteProvider, getProvider, listProviders, SsoProviderBody, updateProvider } from './admin.ts'
import { parseMetadata } from './metadata.ts'
import { insertRelayState } from './relay-states.ts'
import { ownMetadata, signInRequest } from './service-provider.ts'
import { findByDomain, findSsoProvider, type SsoProvider } from './sso-providers.ts'

const SingleSignOn = z.object({
  ...captchaParams,
  ...pkce,
  provider_id: text,
  domain: text,
  redirect_to: text,
  skip_http_redirect: flag,
})
type SingleSignOn = z.infer<typeof SingleSignOn>

/** POST /sso: redirects to the company's identity provider. @see supabase/auth internal/api/sso.go */
async function singleSignOn(deps: AuthDeps, call: Call, body: SingleSignOn): Promise<Response> {
  const { db } = deps
  const provider = await chosenProvider(deps, body)
  if (provider.disabled) throw authError('ssoProviderDisabled')
  checkPkce(body)
  const metadata = parseMetadata(provider.metadata_xml)
  if (typeof metadata === 'string') throw authError('ssoParamsInvalid', [metadata])
  const { requestId, url } = await signInRequest(deps, metadata, provider.name_id_format)
  const isPkce = body.code_challenge !== ''
  const relayState = await db.transaction(async (tx) =>
    insertRelayState(
      tx,
      {
        sso_provider_id: provider.id,
        request_id: requestId,
        redirect_to: body.redirect_to,
        flow_state_id: isPkce
          ? await insertFlowState(
              tx,
              { userId: null, providerType: 'sso/saml', method: 'sso/saml', pkce: body },
              call.now,
            )
          : null,
      },
      call.now,
    ),
  )
  const location = await url(relayState)
  if (body.skip_http_redirect) return json({ url: location })
  return new Response(null, { status: 303, headers: { location } })
}

async function chosenProvider({ db }: AuthDeps, { provider_id: id, domain }: SingleSignOn): Promise<SsoProvider> {
  if (id !== '' && domain !== '') {
    throw authError('ssoParamsInvalid', ['Only one of provider_id or domain supported'])
  }
  if (id === '' && domain === '') {
    throw authError('ssoParamsInvalid', ['A provider_id or domain needs to be provided'])
  }
  const provider = domain !== '' ? await findByDomain(db, domain) : isUuid(id) ? await findSsoProvider(db, id) : null
  if (!provider) throw authError(domain !== '' ? 'ssoDomainUnassigned' : 'ssoProviderMissing')
  return provider
}

/** GET /sso/saml/metadata @see supabase/auth internal/api/saml.go */
async function samlMetadata(deps: AuthDeps, { query }: Call): Promise<Response> {
  const isDownload = query.get('download') === 'true'
  return new Response(await ownMetadata(deps), {
    headers: {
      'content-type': 'application/xml',
      'cache-control': 'public, max-age=600',
      ...(isDownload ? { 'content-disposition': 'attachment; filename="metadata.xml"' } : {}),
    },
  })
}

const withoutSaml = ({ saml }: AuthConfig): AuthErrorName | null => (saml.enabled ? null : 'samlDisabled')

// biome-ignore format: a table
export const ssoRoutes: readonly Route[] = [
  route('POST',   '/sso',               'anyone', SingleSignOn, singleSignOn, { unless: withoutSaml, limit: 'sso', captcha: true }),
  route('GET',    '/sso/saml/metadata', 'anyone', null,         samlMetadata, { unless: withoutSaml }),
  route('POST',   '/sso/saml/acs',      'anyone', null,         samlAcs,      { unless: withoutSaml, limit: 'samlAssertion' }),
  route('GET',    '/saml/metadata',     'anyone', null,         samlMetadata, { unless: withoutSaml }),
  route('POST',   '/saml/acs',          'anyone', null,         samlAcs,      { unless: withoutSaml, limit: 'samlAssertion' }),
  route('GET',    '/admin/sso/providers',          'service', null,            listProviders),
  route('POST',   '/admin/sso/providers',          'service', SsoProviderBody, createProvider),
  route('GET',    '/admin/sso/providers/{idp_id}', 'service', null,            getProvider),
  route('PUT',    '/admin/sso/providers/{idp_id}', 'service', SsoProviderBody, updateProvider),
  route('DELETE', '/admin/sso/providers/{idp_id}', 'service', null,            deleteProvider),
]
