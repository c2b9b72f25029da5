import { readText } from '../body.ts'
import type { Call } from '../call.ts'
import type { AuthDeps } from '../deps.ts'
import { authError } from '../errors.ts'
import { accountFor } from '../external/accounts.ts'
import { errorFields } from '../external/callback.ts'
import { completeOAuthState } from '../external/oauth-states.ts'
import { identityClaims, onlyEmail, type Profile } from '../external/profile.ts'
import { codeOfFlow } from '../flow-states.ts'
import { isUuid, type Json } from '../params.ts'
import { startSession, tokenFragment } from '../start-session.ts'
import type { User } from '../user.ts'
import { AttributeMapping } from './admin.ts'
import { type Assertion, emailOf, mappedClaims, readAssertion, userIdOf } from './assertion.ts'
import { parseMetadata } from './metadata.ts'
import { findByEntityId, findSsoProvider, type SsoProvider } from './providers.ts'
import { takeRelayState } from './relay-states.ts'
import { verifiedAssertion } from './service-provider.ts'
import { elements, NS, parseXml, textOf } from './xml.ts'

/** POST /sso/saml/acs: where an identity provider sends people back to. Whatever happens, they end at the site.
 *  @see supabase/auth internal/api/samlacs.go */
export async function samlAcs(deps: AuthDeps, call: Call): Promise<Response> {
  const form = new URLSearchParams(await readText(call.request))
  try {
    return redirect(await signIn(deps, call, form), 302)
  } catch (error) {
    const url = new URL(deps.config.site_url)
    for (const [name, value] of Object.entries(errorFields(deps, call, error))) url.searchParams.set(name, value)
    return redirect(url.href, 303)
  }
}

/** Who began, and what is known of it. */
type Begun = {
  readonly provider: SsoProvider
  readonly requestId: string | null
  readonly redirectTo: string
  readonly flowStateId: string | null
}

async function signIn(deps: AuthDeps, call: Call, form: URLSearchParams): Promise<string> {
  const answer = form.get('SAMLResponse') ?? ''
  const begun = await beginningOf(deps, call, form.get('RelayState') ?? '', answer)
  const { provider } = begun
  if (provider.disabled) throw authError('ssoProviderDisabled')
  const assertion = await checkedAssertion(deps, begun, answer)
  return accountFor(deps, call, `sso:${provider.id}`, profileOf(assertion, provider), false, (deps, user) =>
    enter(deps, call, user, begun, assertion),
  )
}

/** @returns where the browser goes on with a code (PKCE) or a session */
async function enter(
  deps: AuthDeps,
  call: Call,
  user: User,
  { redirectTo, flowStateId }: Begun,
  { notAfter }: Assertion,
): Promise<string> {
  const target = deps.redirects.choose([redirectTo])
  const code = flowStateId && (await codeOfFlow(deps.db, flowStateId))
  if (flowStateId && code) {
    const noTokens = { accessToken: '', refreshToken: '' }
    await completeOAuthState(deps.db, flowStateId, user.id, noTokens, call.now, 'sso/saml')
    const url = new URL(target)
    url.searchParams.set('code', code)
    return url.href
  }
  const session = await startSession(deps, call, user, 'sso/saml', null, notAfter ? { notAfter } : {})
  return `${target}#${tokenFragment(session, {})}`
}

async function beginningOf(deps: AuthDeps, { now }: Call, relayState: string, answer: string): Promise<Begun> {
  if (isUuid(relayState)) {
    const state = await takeRelayState(deps.db, relayState, now)
    const provider = await findSsoProvider(deps.db, state.sso_provider_id)
    if (!provider) throw authError('samlIdpUnknown')
    return { provider, requestId: state.request_id, redirectTo: state.redirect_to, flowStateId: state.flow_state_id }
  }
  const refused = (why: string) => authError('ssoParamsInvalid', [why])
  if (relayState !== '' && !URL.canParse(relayState)) throw refused('SAML RelayState is not a valid UUID or URL')
  if (answer === '') throw refused('SAMLResponse is missing')
  if (!/^[A-Za-z0-9+/\s]+=*\s*$/.test(answer)) throw refused('SAMLResponse is not a valid Base64 string')
  const response = parseXml(Buffer.from(answer, 'base64').toString('utf8'))
  if (!response) throw refused('SAMLResponse is not a valid XML SAML assertion')
  // Only says whose keys to check it with.
  const issuer = textOf(elements(response, NS.ASSERTION, 'Issuer')[0])
  const provider = issuer.includes('\0') ? null : await findByEntityId(deps.db, issuer)
  if (!provider) throw authError('samlIdpUnknown')
  return { provider, requestId: null, redirectTo: relayState, flowStateId: null }
}

async function checkedAssertion(deps: AuthDeps, { provider, requestId }: Begun, answer: string): Promise<Assertion> {
  const metadata = parseMetadata(provider.metadata_xml)
  if (typeof metadata === 'string') throw authError('ssoParamsInvalid', [metadata])
  const xml = await verifiedAssertion(deps, metadata, requestId, answer)
  const assertion = xml === null ? null : readAssertion(xml)
  if (!assertion) throw authError('samlAssertionInvalid')
  return assertion
}

function profileOf(assertion: Assertion, { entity_id: iss, attribute_mapping }: SsoProvider): Profile {
  const sub = userIdOf(assertion)
  if (sub === '') throw authError('samlNoUserId')
  const mapped = mappedClaims(assertion, AttributeMapping.parse(attribute_mapping))
  const email = typeof mapped.email === 'string' && mapped.email !== '' ? mapped.email : emailOf(assertion)
  if (email === '') throw authError('samlNoEmail')
  const { sub: _sub, email: _email, email_verified: _verified, ...known } = identityClaims(mapped)
  const custom = Object.entries(mapped).filter(([name]) => name !== 'email' && !(name in known))
  const claims: Json = {
    ...known,
    iss,
    sub,
    ...(custom.length > 0 ? { custom_claims: Object.fromEntries(custom) } : {}),
  }
  return { sub, claims, emails: onlyEmail(email, true) }
}

const redirect = (location: string, status: 302 | 303): Response =>
  new Response(null, { status, headers: { location } })
