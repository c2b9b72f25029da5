import { randomUUID, X509Certificate } from 'node:crypto'
import { inflateRawSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestAuth, type TestAuth } from '../../../testing/auth.ts'
import {
  createSamlProvider,
  newSamlKey,
  type SamlProvider,
  type SamlResponse,
  samlResponse,
} from '../../../testing/saml-provider.ts'
import { NS, parseXml } from './metadata.ts'

const ENTITY = 'https://idp.test/metadata'

let auth: TestAuth
let idp: SamlProvider
let providerId: string
beforeAll(async () => {
  auth = await startTestAuth(`
[auth]
site_url = "https://app.test"
[auth.saml]
enabled = true
private_key = "${newSamlKey()}"
`)
  idp = createSamlProvider(ENTITY)
  const made = await admin('POST', '', {
    type: 'saml',
    metadata_xml: idp.metadata,
    domains: ['company.test'],
    attribute_mapping: {
      keys: { name: { name: 'displayName' }, groups: { name: 'groups', array: true }, team: { default: 'none' } },
    },
  })
  providerId = String(made.body.id)
})
afterAll(() => auth.close())

const responseXml = (options: Partial<SamlResponse> = {}) =>
  samlResponse({ authUrl: `${auth.url}/auth/v1`, issuer: ENTITY, ...options })

async function admin(method: string, path: string, body?: object) {
  const response = await fetch(`${auth.url}/auth/v1/admin/sso/providers${path}`, {
    method,
    headers: { authorization: `Bearer ${auth.identity.keys.serviceRole}` },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

async function begin(
  params: Parameters<ReturnType<TestAuth['client']>['auth']['signInWithSSO']>[0],
  client = auth.client(),
) {
  const { data, error } = await client.auth.signInWithSSO(params)
  if (error) throw error
  const url = new URL(data?.url ?? '')
  const xml = inflateRawSync(Buffer.from(url.searchParams.get('SAMLRequest') ?? '', 'base64')).toString('utf8')
  return {
    url,
    relayState: url.searchParams.get('RelayState') ?? '',
    requestId: parseXml(xml)?.getAttribute('ID') ?? '',
    xml,
  }
}

async function answer(xml: string, relayState: string) {
  const response = await fetch(`${auth.url}/auth/v1/sso/saml/acs`, {
    method: 'POST',
    body: new URLSearchParams({ SAMLResponse: Buffer.from(xml).toString('base64'), RelayState: relayState }),
    redirect: 'manual',
  })
  const location = new URL(response.headers.get('location') ?? 'about:blank')
  return {
    location,
    fragment: new URLSearchParams(location.hash.slice(1)),
    error: location.searchParams.get('error_description'),
  }
}

describe('single sign-on', () => {
  test('initiated by Auth signs the request, and the response opens a session with the mapped claims', async () => {
    const { url, relayState, requestId, xml } = await begin({ domain: 'company.test' })
    expect(url.origin + url.pathname).toBe('https://idp.test/sso')
    expect(url.searchParams.get('Signature')).toBeTruthy()
    expect(xml).toContain(`${auth.url}/auth/v1/sso/saml/acs`)
    const end = new Date(auth.clock.now().getTime() + 3_600_000)
    const attributes = { email: ['Ada@Company.test'], displayName: ['Ada'], groups: ['a', 'b'] }
    const signed = idp.sign(responseXml({ inResponseTo: requestId, attributes, sessionEnd: end }), 'Assertion')
    const { fragment } = await answer(signed, relayState)
    const token = fragment.get('access_token') ?? ''
    const { claims } = await auth.identity.verify(token)
    expect(claims.amr).toEqual([{ method: 'sso/saml', timestamp: expect.any(Number), provider: providerId }])
    const { data } = await auth.client().auth.getUser(token)
    expect(data.user).toMatchObject({
      email: 'ada@company.test',
      app_metadata: { provider: `sso:${providerId}`, providers: [`sso:${providerId}`] },
      user_metadata: { name: 'Ada', iss: ENTITY, sub: 'user-1', custom_claims: { groups: ['a', 'b'], team: 'none' } },
    })
    const { rows } = await auth.db.query({
      text: 'select u.is_sso_user, s.not_after from auth.users u join auth.sessions s on s.user_id = u.id',
      values: [],
    })
    expect(rows).toEqual([{ is_sso_user: true, not_after: end }])
    expect((await answer(signed, relayState)).error).toBe('SAML RelayState does not exist, try logging in again?')
  })

  test('with a signature over the whole response returns an authorization code (PKCE)', async () => {
    const client = auth.client({ flowType: 'pkce' })
    const { relayState, requestId } = await begin({ providerId }, client)
    const { location } = await answer(idp.sign(responseXml({ inResponseTo: requestId }), 'Response'), relayState)
    const { data, error } = await client.auth.exchangeCodeForSession(location.searchParams.get('code') ?? '')
    expect(error).toBeNull()
    expect(data.user?.email).toBe('ada@company.test')
  })

  test('initiated by the identity provider opens a session', async () => {
    const { fragment } = await answer(idp.sign(responseXml({ nameId: 'user-2' }), 'Assertion'), '')
    expect(fragment.get('access_token')).toBeTruthy()
  })

  test("doesn't touch another account with the same address", async () => {
    const own = await auth.client().auth.signUp({ email: 'eve@company.test', password: 'correct horse' })
    const signed = idp.sign(responseXml({ nameId: 'eve', attributes: { mail: ['eve@company.test'] } }), 'Assertion')
    const { fragment } = await answer(signed, '')
    const { data } = await auth.client().auth.getUser(fragment.get('access_token') ?? '')
    expect(data.user?.email).toBe('eve@company.test')
    expect(data.user?.id).not.toBe(own.data.user?.id)
  })
})

describe('single sign-on rejects', () => {
  const invalid = 'SAML Assertion is not valid'

  test('a response to another request, for another audience, expired, unsigned or signed with another key', async () => {
    const other = createSamlProvider(ENTITY)
    const cases: ((requestId: string) => string)[] = [
      () => idp.sign(responseXml({ inResponseTo: 'id-other' }), 'Assertion'),
      () => idp.sign(responseXml(), 'Assertion'),
      (inResponseTo) => idp.sign(responseXml({ inResponseTo, audience: 'https://other.test' }), 'Assertion'),
      (inResponseTo) =>
        idp.sign(responseXml({ inResponseTo, notOnOrAfter: new Date(Date.now() - 600_000) }), 'Assertion'),
      (inResponseTo) => responseXml({ inResponseTo }),
      (inResponseTo) => other.sign(responseXml({ inResponseTo }), 'Assertion'),
      (inResponseTo) =>
        idp.sign(responseXml({ inResponseTo }), 'Assertion').replace('ada@company.test', 'root@company.test'),
      (inResponseTo) => idp.sign(responseXml({ inResponseTo, issuer: 'https://other.test' }), 'Assertion'),
    ]
    for (const make of cases) {
      const { relayState, requestId } = await begin({ domain: 'company.test' })
      expect((await answer(make(requestId), relayState)).error).toBe(invalid)
    }
  })

  test('an assertion for another endpoint, an expired one and an intercepted one', async () => {
    const { requestId } = await begin({ domain: 'company.test' })
    const cases: Partial<SamlResponse>[] = [
      { recipient: 'https://other.test/acs' },
      { recipient: '' },
      { confirmedUntil: new Date(Date.now() - 600_000) },
      // Intercepted and replayed as if initiated by the identity provider.
      { inResponseTo: requestId },
    ]
    for (const options of cases) {
      const { error, fragment } = await answer(idp.sign(responseXml(options), 'Assertion'), '')
      expect([options, error, fragment.get('access_token')]).toEqual([options, invalid, null])
    }
    const begun = await begin({ domain: 'company.test' })
    const elsewhere = responseXml({ inResponseTo: begun.requestId, recipient: 'https://other.test/acs' })
    expect((await answer(idp.sign(elsewhere, 'Assertion'), begun.relayState)).error).toBe(invalid)
  })

  test('a replayed assertion', async () => {
    const signed = idp.sign(responseXml({ nameId: 'once' }), 'Assertion')
    expect((await answer(signed, '')).fragment.get('access_token')).toBeTruthy()
    expect((await answer(signed, '')).error).toBe(invalid)
    expect((await answer(signed.replace(/ID="_[^"]+"/, 'ID="_another"'), 'https://app.test/x')).error).toBe(invalid)
    const { relayState, requestId } = await begin({ domain: 'company.test' })
    const asked = signed.replace(/(<samlp:Response [^>]*)>/, `$1 InResponseTo="${requestId}">`)
    expect((await answer(asked, relayState)).error).toBe(invalid)
  })

  test('a name split by a comment', async () => {
    const xml = responseXml({
      nameId: 'root@company.test<!-- -->.evil.test',
      format: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
      attributes: {},
    })
    const { fragment, error } = await answer(idp.sign(xml, 'Assertion'), '')
    expect(error).toBeNull()
    const { data } = await auth.client().auth.getUser(fragment.get('access_token') ?? '')
    expect(data.user?.email).toBe('root@company.test.evil.test')
  })

  test('an unsigned assertion wrapped around a signed one', async () => {
    const { relayState, requestId } = await begin({ domain: 'company.test' })
    const signed = idp.sign(responseXml({ inResponseTo: requestId }), 'Assertion')
    const [assertion = ''] = /<saml:Assertion .*<\/saml:Assertion>/s.exec(signed) ?? []
    const forged = assertion
      .replace(/<Signature.*<\/Signature>/s, '')
      .replace(/ID="[^"]+"/, 'ID="_forged"')
      .replace('ada@company.test', 'root@company.test')
    const { error, fragment } = await answer(signed.replace(assertion, forged + assertion), relayState)
    expect([error, fragment.get('access_token')]).toEqual([invalid, null])
  })

  test('a user without a persistent name or without an address', async () => {
    const transient = responseXml({ format: 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient' })
    expect((await answer(idp.sign(transient, 'Assertion'), '')).error).toContain('persistent Subject Identifier')
    const nobody = responseXml({ attributes: { x: ['y'] } })
    expect((await answer(idp.sign(nobody, 'Assertion'), '')).error).toBe(
      'SAML Assertion does not contain an email address',
    )
  })

  test('a malformed response', async () => {
    expect((await answer('<!DOCTYPE x [<!ENTITY e "e">]><x>&e;</x>', '')).error).toBe(
      'SAMLResponse is not a valid XML SAML assertion',
    )
    expect((await answer('<x/>', '')).error).toContain('has not been established')
    expect((await answer('', '')).error).toBe('SAMLResponse is missing')
    expect((await answer('<x/>', 'no url')).error).toBe('SAML RelayState is not a valid UUID or URL')
    // A pattern with nested spaces would take half an hour.
    const blanks = new URLSearchParams({ SAMLResponse: `${' '.repeat(900_000)}!` })
    const refused = await fetch(`${auth.url}/auth/v1/sso/saml/acs`, {
      method: 'POST',
      body: blanks,
      redirect: 'manual',
    })
    expect(refused.headers.get('location')).toContain('not+a+valid+Base64+string')
    const { relayState } = await begin({ domain: 'company.test' })
    auth.clock.advance(121)
    expect((await answer('<x/>', relayState)).error).toBe('SAML RelayState has expired. Try logging in again?')
  })

  test.each([
    [{}, 'A provider_id or domain needs to be provided'],
    [{ domain: 'x', provider_id: 'y' }, 'Only one of provider_id or domain supported'],
    [{ domain: 'unknown.test' }, 'No SSO provider assigned for this domain'],
    [{ provider_id: randomUUID() }, 'No such SSO provider'],
  ])('%j', async (body, message) => {
    const response = await fetch(`${auth.url}/auth/v1/sso`, { method: 'POST', body: JSON.stringify(body) })
    expect(await response.json()).toMatchObject({ msg: message })
  })
})

test("Auth's metadata names the endpoint and the key", async () => {
  const response = await fetch(`${auth.url}/auth/v1/sso/saml/metadata?download=true`)
  expect(response.headers.get('content-type')).toBe('application/xml')
  expect(response.headers.get('content-disposition')).toContain('metadata.xml')
  const xml = await response.text()
  expect(xml).toContain(`entityID="${auth.url}/auth/v1/sso/saml/metadata"`)
  expect(xml).toContain(`${auth.url}/auth/v1/sso/saml/acs`)
  const [, base64 = ''] = /X509Certificate>\s*([^<]+)</.exec(xml) ?? []
  const certificate = new X509Certificate(Buffer.from(base64, 'base64'))
  expect(certificate.subject).toBe('CN=127.0.0.1')
  expect(certificate.verify(certificate.publicKey)).toBe(true)
})

describe('SSO providers', () => {
  test('are created, listed, found by their resource id, changed and deleted', async () => {
    const { metadata } = createSamlProvider('https://crud.test')
    const made = await admin('POST', '', {
      type: 'saml',
      metadata_xml: metadata,
      resource_id: 'Acme',
      domains: ['a.test'],
    })
    expect(made.status).toBe(201)
    expect(made.body).toEqual({
      id: expect.any(String),
      resource_id: 'Acme',
      disabled: null,
      saml: { entity_id: 'https://crud.test', metadata_xml: metadata, attribute_mapping: {} },
      domains: [{ domain: 'a.test', created_at: expect.any(String), updated_at: expect.any(String) }],
      created_at: expect.any(String),
      updated_at: expect.any(String),
    })
    const { body: listed } = await admin('GET', '?resource_id_prefix=Ac')
    expect(listed).toEqual({
      items: [{ ...made.body, saml: { entity_id: 'https://crud.test', attribute_mapping: {} } }],
    })
    expect((await admin('GET', '/resource_acme')).body).toEqual(made.body)
    const path = `/${made.body.id}`
    const changed = await admin('PUT', path, { domains: ['b.test', 'a.test'], disabled: true })
    expect(changed.body).toMatchObject({ disabled: true, domains: [{ domain: 'a.test' }, { domain: 'b.test' }] })
    const off = await fetch(`${auth.url}/auth/v1/sso`, { method: 'POST', body: JSON.stringify({ domain: 'B.test' }) })
    expect(await off.json()).toMatchObject({ code: 404, error_code: 'sso_provider_disabled' })
    expect((await admin('PUT', path, { metadata_xml: idp.metadata })).body).toMatchObject({
      error_code: 'saml_entity_id_mismatch',
    })
    expect((await admin('PUT', path, { domains: ['company.test'] })).body).toMatchObject({
      error_code: 'sso_domain_already_exists',
    })
    expect((await admin('DELETE', path)).status).toBe(200)
    expect((await admin('GET', path)).body).toMatchObject({ code: 404, error_code: 'sso_provider_not_found' })
  })

  test.each([
    [{ type: 'oidc' }, "Only 'saml' supported for SSO provider type"],
    [{ type: 'saml' }, 'Either metadata_xml or metadata_url must be set'],
    [
      { type: 'saml', metadata_xml: 'x', metadata_url: 'y' },
      'Only one of metadata_xml or metadata_url needs to be set',
    ],
    [{ type: 'saml', metadata_url: 'x' }, 'metadata_url is not a valid URL'],
    [{ type: 'saml', metadata_url: 'http://x.test' }, 'metadata_url is not a HTTPS URL'],
    [{ type: 'saml', metadata_xml: 'x', name_id_format: 'y' }, 'name_id_format must be unspecified or one of'],
    [{ type: 'saml', metadata_xml: '<x' }, 'SAML Metadata is not valid XML'],
    [{ type: 'saml', metadata_xml: `<EntityDescriptor xmlns="${NS.METADATA}"/>` }, 'does not contain an EntityID'],
    [
      { type: 'saml', metadata_xml: `<EntityDescriptor xmlns="${NS.METADATA}" entityID="x"/>` },
      'does not contain any IDPSSODescriptor',
    ],
  ])('rejects %j', async (body, message) => {
    expect((await admin('POST', '', body)).body).toMatchObject({ code: 400, msg: expect.stringContaining(message) })
  })

  test('are unique by entity id', async () => {
    const { body } = await admin('POST', '', { type: 'saml', metadata_xml: idp.metadata })
    expect(body).toMatchObject({ code: 422, error_code: 'saml_idp_already_exists' })
  })
})
