import type { AuthDeps } from '../../deps.ts'
import { authError } from '../../errors.ts'
import { startSession, tokenFragment } from '../../flows/start-session.ts'
import { readText } from '../../http/body.ts'
import type { Call } from '../../http/call.ts'
import { errorFields } from '../../http/render-error.ts'
import { codeOfFlow } from '../../models/flow-states.ts'
import { isUuid, type Json } from '../../models/params.ts'
import type { User } from '../../models/user.ts'
import { accountFor } from '../accounts.ts'
import { completeOAuthState } from '../oauth-states.ts'
import { identityClaims, onlyEmail, type Profile } from '../profile.ts'
import { AttributeMapping } from './admin.ts'
import { elements, NS, parseMetadata, parseXml, textOf } from './metadata.ts'
import { consumeRelayState } from './relay-states.ts'
import { acsOf, CLOCK_SKEW, verifiedAssertion } from './service-provider.ts'
import { findByEntityId, findSsoProvider, type SsoProvider } from './sso-providers.ts'

/** POST /sso/saml/acs: receives an identity provider's response. Errors also redirect to the site.
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

type SignInStart = {
  readonly provider: SsoProvider
  readonly requestId: string | null
  readonly redirectTo: string
  readonly flowStateId: string | null
}

async function signIn(deps: AuthDeps, call: Call, form: URLSearchParams): Promise<string> {
  const answer = form.get('SAMLResponse') ?? ''
  const start = await signInStartOf(deps, call, form.get('RelayState') ?? '', answer)
  const { provider } = start
  if (provider.disabled) throw authError('ssoProviderDisabled')
  const assertion = await checkedAssertion(deps, start, answer)
  return accountFor(
    deps,
    call,
    { provider: `sso:${provider.id}`, profile: profileOf(assertion, provider), emailOptional: false },
    (deps, user) => openSession(deps, call, { user, start, assertion }),
  )
}

async function openSession(
  deps: AuthDeps,
  call: Call,
  {
    user,
    start: { redirectTo, flowStateId },
    assertion: { notAfter },
  }: { readonly user: User; readonly start: SignInStart; readonly assertion: Assertion },
): Promise<string> {
  const target = deps.redirects.choose([redirectTo])
  const code = flowStateId && (await codeOfFlow(deps.db, flowStateId))
  if (flowStateId && code) {
    const noTokens = { accessToken: '', refreshToken: '' }
    await completeOAuthState(
      deps.db,
      { id: flowStateId, userId: user.id, tokens: noTokens, method: 'sso/saml' },
      call.now,
    )
    const url = new URL(target)
    url.searchParams.set('code', code)
    return url.href
  }
  const session = await startSession(deps, call, {
    user,
    method: 'sso/saml',
    options: notAfter ? { notAfter } : {},
  })
  return `${target}#${tokenFragment(session, {})}`
}

async function signInStartOf(deps: AuthDeps, { now }: Call, relayState: string, answer: string): Promise<SignInStart> {
  if (isUuid(relayState)) {
    const state = await consumeRelayState(deps.db, relayState, now)
    const provider = await findSsoProvider(deps.db, state.sso_provider_id)
    if (!provider) throw authError('samlIdpUnknown')
    return { provider, requestId: state.request_id, redirectTo: state.redirect_to, flowStateId: state.flow_state_id }
  }
  const refused = (why: string) => authError('ssoParamsInvalid', [why])
  if (relayState !== '' && !URL.canParse(relayState)) throw refused('SAML RelayState is not a valid UUID or URL')
  if (answer === '') throw refused('SAMLResponse is missing')
  if (!/^[A-Za-z0-9+/]+=*$/.test(answer.replaceAll(/\s/g, '')))
    throw refused('SAMLResponse is not a valid Base64 string')
  const response = parseXml(Buffer.from(answer, 'base64').toString('utf8'))
  if (!response) throw refused('SAMLResponse is not a valid XML SAML assertion')
  // The unverified issuer only decides whose keys check the response.
  const issuer = textOf(elements(response, NS.ASSERTION, 'Issuer')[0])
  const provider = await findByEntityId(deps.db, issuer)
  if (!provider) throw authError('samlIdpUnknown')
  return { provider, requestId: null, redirectTo: relayState, flowStateId: null }
}

async function checkedAssertion(
  deps: AuthDeps,
  { provider, requestId }: SignInStart,
  answer: string,
): Promise<Assertion> {
  const metadata = parseMetadata(provider.metadata_xml)
  if (typeof metadata === 'string') throw authError('ssoParamsInvalid', [metadata])
  const xml = await verifiedAssertion(deps, metadata, requestId, answer)
  // The library checks the assertion's other times by the machine's clock, so we do too.
  const expected = { recipient: acsOf(deps), requestId, now: new Date(), skew: CLOCK_SKEW }
  const assertion = xml === null ? null : readAssertion(xml, expected)
  if (!assertion?.until || assertion.id === '') throw authError('samlAssertionInvalid')
  // A sign-in that the identity provider initiated has no relay state to use up (SAML Profiles 4.1.4.5).
  const name = `saml ${provider.id} ${assertion.id}`
  if (!(await deps.replayGuard.take(name, assertion.until))) throw authError('samlAssertionInvalid')
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
  return { sub, claims, emails: onlyEmail(email, { verified: true }) }
}

const redirect = (location: string, status: 302 | 303): Response =>
  new Response(null, { status, headers: { location } })

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
    const inResponseTo = data.getAttribute('InResponseTo') || null
    const isInTime = end > now.getTime() && !(begin > now.getTime())
    const isOurs = data.getAttribute('Recipient') === recipient && (inResponseTo === null || inResponseTo === requestId)
    if (isInTime && isOurs) return new Date(end)
  }
  return null
}

type Assertion = {
  readonly id: string
  readonly until: Date | null
  readonly nameId: string
  readonly nameIdFormat: string
  readonly attributes: readonly { readonly names: readonly string[]; readonly values: readonly string[] }[]
  readonly notAfter: Date | null
}

function readAssertion(xml: string, expected: Expected): Assertion | null {
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
function userIdOf(assertion: Assertion): string {
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

function emailOf(assertion: Assertion): string {
  const attribute = EMAIL_NAMES.flatMap((name) => valuesOf(assertion, name)).find((value) => value !== '')
  return attribute ?? (assertion.nameIdFormat === EMAIL_FORMAT ? assertion.nameId : '')
}

/** Returns claims by the provider's mapping: the first attribute with a value wins. */
function mappedClaims(assertion: Assertion, { keys = {} }: AttributeMapping): Json {
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
