// Identity providers' assertions and metadata with text that Postgres can't store, invalid addresses, endless responses and
// redirects into the network.
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startTestAuth, type TestAuth } from '../../src/testing/auth.ts'
import { createSamlProvider, newSamlKey, samlResponse } from '../../src/testing/saml-provider.ts'

const ENTITY = 'https://idp.test/metadata'
const idp = createSamlProvider(ENTITY)

type Answer = (response: ServerResponse, url: URL) => void
let answers: Record<string, Answer>
let asked: string[]
let auth: TestAuth
let close: () => Promise<unknown>

beforeEach(() => {
  asked = []
  answers = {}
})

const json =
  (body: unknown): Answer =>
  (response) =>
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(typeof body === 'string' ? body : JSON.stringify(body))

const redirect =
  (location: string): Answer =>
  (response) =>
    response.writeHead(302, { location }).end()

/** Sends until the reader disconnects. */
const endless: Answer = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' })
  const more = () => {
    while (!response.destroyed && response.write(Buffer.alloc(65_536, 0x20)));
  }
  response.on('drain', more)
  more()
}

beforeAll(async () => {
  const server = createServer((request, response) => {
    const url = new URL(String(request.headers['x-meant-for']))
    asked.push(url.href)
    const answer = answers[url.host + url.pathname]
    if (answer) answer(response, url)
    else response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const elsewhere: typeof fetch = (input, init) => {
    const headers = new Headers(init?.headers)
    headers.set('x-meant-for', String(input))
    return fetch(`http://127.0.0.1:${port}`, { ...init, headers })
  }
  auth = await startTestAuth(
    `
[auth]
site_url = "https://app.test"
enable_manual_linking = true
[auth.saml]
enabled = true
private_key = "${newSamlKey()}"
[auth.external.github]
enabled = true
client_id = "c"
secret = "s"
`,
    '',
    { fetch: elsewhere },
  )
  close = () => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  }
  const made = await admin('POST', '', {
    type: 'saml',
    metadata_xml: idp.metadata,
    attribute_mapping: { keys: { name: { name: 'displayName' }, groups: { name: 'groups', array: true } } },
  })
  expect(made.status).toBe(201)
})
afterAll(async () => {
  await auth.close()
  await close()
})

async function admin(method: string, path: string, body: object) {
  const response = await fetch(`${auth.url}/auth/v1/admin/sso/providers${path}`, {
    method,
    headers: { authorization: `Bearer ${auth.identity.keys.serviceRole}` },
    body: JSON.stringify(body),
  })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

/** Signs in with an identity provider's response. @returns what the site receives */
async function assert(response: Partial<Parameters<typeof samlResponse>[0]>, change = (xml: string) => xml) {
  const authUrl = `${auth.url}/auth/v1`
  const xml = change(samlResponse({ authUrl, issuer: ENTITY, nameId: crypto.randomUUID(), ...response }))
  const answer = await fetch(`${authUrl}/sso/saml/acs`, {
    method: 'POST',
    body: new URLSearchParams({ SAMLResponse: Buffer.from(idp.sign(xml, 'Assertion')).toString('base64') }),
    redirect: 'manual',
  })
  return toldTo(answer.headers.get('location') ?? '')
}

function toldTo(location: string) {
  const { searchParams, hash } = new URL(location)
  return {
    code: searchParams.get('error_code'),
    why: searchParams.get('error_description'),
    token: new URLSearchParams(hash.slice(1)).get('access_token'),
  }
}

const NUL = { code: 'validation_failed', why: 'A text may not contain the NUL character', token: null }
const CONTROL = { code: 'validation_failed', why: expect.stringContaining('control characters'), token: null }
const LONG = { code: 'validation_failed', why: expect.stringContaining('bytes'), token: null }

test('a SAML assertion with a NUL in the address, id, claim or issuer', async () => {
  const nul = (xml: string) => xml.replaceAll('NUL', '&#0;')
  expect(await assert({ attributes: { email: ['aNUL@company.test'] } }, nul)).toEqual(NUL)
  expect(await assert({ nameId: 'oneNUL', attributes: { email: ['a@company.test'] } }, nul)).toEqual(NUL)
  const claims = { email: ['b@company.test'], displayName: ['NUL'] }
  expect(await assert({ attributes: claims }, nul)).toEqual(NUL)
  expect(await assert({ attributes: { ...claims, displayName: ['x'], groups: ['a', 'NUL'] } }, nul)).toEqual(NUL)
  expect(await assert({ issuer: `${ENTITY}NUL` }, nul)).toEqual(NUL)
})

test('a SAML assertion with an invalid address or id', async () => {
  for (const character of ['&#1;', '&#9;', '&#10;', '&#127;', '&#8233;']) {
    const put = (xml: string) => xml.replaceAll('CONTROL', character)
    expect(await assert({ attributes: { email: ['aCONTROL@company.test'] } }, put)).toEqual(CONTROL)
    expect(await assert({ nameId: 'oCONTROLne', attributes: { email: ['a@company.test'] } }, put)).toEqual(CONTROL)
  }
  expect(await assert({ attributes: { email: [`${'a'.repeat(256)}@company.test`] } })).toEqual(LONG)
  expect(await assert({ nameId: 'x'.repeat(10_000), attributes: { email: ['a@company.test'] } })).toEqual(LONG)
  expect(await assert({ attributes: { email: ['fine@company.test'], displayName: ['Two\nlines'] } })).toEqual({
    code: null,
    why: null,
    token: expect.any(String),
  })
})

/** Signs in with GitHub, which returns this profile. */
async function enterWith(
  profile: object | string,
  emails: unknown = [{ email: 'p@x.test', verified: true, primary: true }],
) {
  answers = {
    'github.com/login/oauth/access_token': json({ access_token: 'at', token_type: 'bearer' }),
    'api.github.com/user': json(profile),
    'api.github.com/user/emails': json(emails),
  }
  const { data } = await auth.client().auth.signInWithOAuth({
    provider: 'github',
    options: { skipBrowserRedirect: true },
  })
  const begun = await fetch(data.url ?? '', { redirect: 'manual' })
  const state = new URL(begun.headers.get('location') ?? '').searchParams.get('state') ?? ''
  const back = await fetch(`${auth.url}/auth/v1/callback?${new URLSearchParams({ code: 'c', state })}`, {
    redirect: 'manual',
  })
  return toldTo(back.headers.get('location') ?? '')
}

test('an OAuth provider returns a NUL, a lone surrogate or an invalid address', async () => {
  const id = () => Math.floor(Math.random() * 1e9)
  const address = (email: string) => [{ email, verified: true, primary: true }]
  expect(await enterWith({ id: id(), name: 'A\0B' })).toEqual(NUL)
  expect(await enterWith({ id: 'a\0b', name: 'A' })).toEqual(NUL)
  expect(await enterWith({ id: id() }, address('a\0@x.test'))).toEqual(NUL)
  expect(await enterWith({ id: id() }, address('a\r\nbcc: b@x.test'))).toEqual(CONTROL)
  expect(await enterWith({ id: id() }, address(`${'a'.repeat(300)}@x.test`))).toEqual(LONG)
  expect(await enterWith(`{"id":${id()},"name":"half \\ud800"}`)).toMatchObject({
    code: null,
    token: expect.any(String),
  })
})

test('disconnects from a provider whose response never ends', async () => {
  answers = { 'github.com/login/oauth/access_token': endless }
  const { data } = await auth.client().auth.signInWithOAuth({
    provider: 'github',
    options: { skipBrowserRedirect: true },
  })
  const begun = await fetch(data.url ?? '', { redirect: 'manual' })
  const state = new URL(begun.headers.get('location') ?? '').searchParams.get('state') ?? ''
  const back = await fetch(`${auth.url}/auth/v1/callback?code=c&state=${state}`, { redirect: 'manual' })
  expect(toldTo(back.headers.get('location') ?? '')).toMatchObject({ code: 'unexpected_failure', token: null })
})

test('fetches metadata only over HTTPS, including redirects, up to one mebibyte', async () => {
  const fetchFrom = (metadata_url: string) => admin('POST', '', { type: 'saml', metadata_url })
  const failed = (msg: RegExp) => ({
    status: 400,
    body: { error_code: 'saml_metadata_fetch_failed', msg: expect.stringMatching(msg) },
  })
  for (const inside of [
    'http://169.254.169.254/latest',
    'http://localhost:5432/',
    'ftp://x.test/',
    'file:///etc/passwd',
  ]) {
    answers = { 'idp.test/': redirect(inside) }
    expect(await fetchFrom('https://idp.test/')).toMatchObject(failed(/without HTTPS/))
    expect(asked.splice(0)).toEqual(['https://idp.test/'])
    expect(await fetchFrom(inside)).toMatchObject({ status: 400, body: { error_code: 'validation_failed' } })
    expect(asked).toEqual([])
  }
  answers = { 'idp.test/': redirect('https://idp.test/') }
  expect(await fetchFrom('https://idp.test/')).toMatchObject(failed(/more than 10 redirects/))
  expect(asked.splice(0)).toHaveLength(11)
  answers = { 'idp.test/': endless }
  expect(await fetchFrom('https://idp.test/')).toMatchObject(failed(/^Network error fetching/))
  expect(await fetchFrom('https://idp.test/none')).toMatchObject(failed(/^HTTP 404 error fetching SAML Metadata/))

  const other = createSamlProvider('https://other.test/metadata').metadata
  answers = { 'idp.test/old': redirect('/new'), 'idp.test/new': (response) => response.end(other) }
  expect(await fetchFrom('https://idp.test/old')).toMatchObject({ status: 201 })
})

test('rejects metadata that sends browsers to a script or refers to itself endlessly', async () => {
  for (const [metadata_xml, why] of [
    [createSamlProvider('https://s.test', 'javascript:alert(1)').metadata, /no address of the web/],
    [createSamlProvider('https://s.test', 'data:text/html,x').metadata, /no address of the web/],
    [createSamlProvider('https://s.test', 'nothing').metadata, /no address of the web/],
    [createSamlProvider(`https://${'s'.repeat(5000)}.test`).metadata, /more than 1024 bytes/],
    [createSamlProvider('https://s.test/&#0;').metadata, /NUL/],
  ] as const) {
    const { status, body } = await admin('POST', '', { type: 'saml', metadata_xml })
    expect([status, body.msg]).toEqual([400, expect.stringMatching(why)])
  }
})

test('none of this was logged as an internal error of Auth', () => {
  expect(auth.logged.filter((line) => line.includes('Unexpected failure'))).toEqual([])
})
