import { beforeAll, expect, test } from 'vitest'
import { loadConfig } from '../config/load.ts'
import { createIdentity } from '../identity/create-identity.ts'
import type { Identity } from '../identity/identity.ts'
import { systemClock } from '../kernel/service.ts'
import { createForeignPages, type ForeignPages } from './foreign-pages.ts'
import { createGateway } from './gateway.ts'

let identity: Identity
let foreignPages: ForeignPages
beforeAll(async () => {
  const { config } = loadConfig({ toml: 'project_id = "test"', file: 'config.toml', env: {}, folder: '/' })
  identity = await createIdentity({ config: config.auth, clock: systemClock })
  foreignPages = createForeignPages({
    identity,
    host: '127.0.0.1',
    ownUrls: () => ['https://own.example', '', 'no address'],
  })
})

const EVIL = 'https://evil.example'

async function ask(path: string, headers: Record<string, string>, method = 'GET') {
  const responseHeaders = new Headers()
  const gateway = createGateway({
    handlers: new Map(['rest', 'storage', 'undock'].map((name) => [name, () => new Response('served')])),
    disabled: new Set(),
    foreignPages,
    record: () => undefined,
  })
  const request = new Request(`http://127.0.0.1:54321${path}`, {
    method,
    headers: { host: '127.0.0.1:54321', ...headers },
  })
  const response = await gateway(request, {
    address: '127.0.0.1',
    setHeader: (name, value) => responseHeaders.set(name, value),
  })
  return {
    response,
    responseHeaders,
    isServed: response.status === 200 && (await response.clone().text()) === 'served',
  }
}

test.each([
  ['a program', {}, true],
  ['a local page', { origin: 'http://localhost:3000' }, true],
  ['a local app', { origin: 'capacitor://localhost' }, true],
  ['an allowed page', { origin: 'https://own.example' }, true],
  ['a remote page', { origin: EVIL }, false],
  ['a page with a deceptive host name', { origin: 'http://127.0.0.1.evil.example' }, false],
  ['a page with a deceptive user name', { origin: 'http://127.0.0.1@evil.example' }, false],
  ['a sandboxed page', { origin: 'null' }, false],
  ['an image in a remote page', { 'sec-fetch-site': 'cross-site' }, false],
  ['a rebound page', { 'sec-fetch-site': 'same-origin', host: 'evil.example:54321' }, false],
  ['a rebound page without TLS', { host: 'evil.example:54321' }, false],
  ['a local page through a rebound name', { origin: 'http://localhost:3000', host: 'evil.example:54321' }, false],
  ["a host name that starts like this machine's", { host: 'localhost.evil.example' }, false],
  ['a host name that ends like an allowed one', { host: 'not-own.example' }, false],
  ["another machine's address", { host: '192.0.2.1:54321' }, false],
  ["a program, by this machine's name", { host: 'LOCALHOST.:54321' }, true],
  ["a program, by a project's name", { host: 'api.notes.localhost' }, true],
  ['a program over IPv6', { host: '[::1]:54321' }, true],
  ['a program over IPv4-mapped IPv6', { host: '[::ffff:127.0.0.1]:54321' }, true],
  ['a program, by an allowed name on any port', { host: 'own.example:8443' }, true],
  ['a typed URL', { 'sec-fetch-site': 'none' }, true],
] as const)('%s: secret keys and own routes are served: %o %s', async (_who, headers, isServed) => {
  const { keys } = identity
  const secrets: Record<string, string>[] = [
    { apikey: keys.secret },
    { apikey: keys.publishable, authorization: `Bearer ${keys.serviceRole}` },
    { authorization: `Bearer ${await identity.sign({ role: 'service_role', forged: true })}` },
    // pgrst.jwt_role_claim_key may name another claim.
    { authorization: `Bearer ${await identity.sign({ role: 'anon', app: { roles: ['service_role'] } })}` },
  ]
  for (const secret of secrets) expect((await ask('/rest/v1/notes', { ...headers, ...secret })).isServed).toBe(isServed)
  expect((await ask(`/rest/v1/notes?apikey=${keys.secret}`, headers)).isServed).toBe(isServed)
  for (const path of ['/storage/v1/s3/bucket/key', '/storage/v1/%733/bucket/key'])
    expect((await ask(path, headers, 'POST')).isServed).toBe(isServed)
  expect((await ask('/undock/v1/reset', headers, 'POST')).isServed).toBe(isServed)
  expect((await ask('/rest/v1/notes', { ...headers, apikey: keys.publishable })).isServed).toBe(true)
  const token = await identity.sign({ role: 'authenticated', sub: 'u1' })
  expect((await ask('/rest/v1/notes', { ...headers, authorization: `Bearer ${token}` })).isServed).toBe(true)
})

test('a backend for the local network trusts pages of its own addresses, not of every numeric address', () => {
  const pages = createForeignPages({ identity, host: '0.0.0.0', ownUrls: () => [] })
  const isForeign = (origin: string, host: string) => pages.isForeign({ headers: new Headers({ origin, host }) })
  expect(isForeign('http://192.168.1.5:3000', '192.168.1.5:54321')).toBe(false)
  expect(isForeign('http://[fd00::5]:3000', '[fd00::5]:54321')).toBe(false)
  expect(isForeign('http://localhost:3000', '192.168.1.5:54321')).toBe(false)
  for (const host of ['192.168.1.5:54321', '127.0.0.1:54321'])
    for (const origin of ['http://203.0.113.7', 'http://[2001:db8::7]:54321', 'http://192.168.1.50'])
      expect(isForeign(origin, host)).toBe(true)
})

test('rejects a request line that names another server, whatever the Host header', () => {
  const of = (path: string, headers = {}) =>
    new Request(`http://evil.example${path}`, { headers: { host: '127.0.0.1', ...headers } })
  expect(foreignPages.refuses(of('/undock/v1/health'), 'undock')).toBe(true)
  expect(foreignPages.refuses(of('/rest/v1/notes', { apikey: identity.keys.secret }), 'rest')).toBe(true)
  expect(foreignPages.refuses(of('/rest/v1/notes', { apikey: identity.keys.publishable }), 'rest')).toBe(false)
})

test('the error says how to allow the page, and the page can read it', async () => {
  const { response, responseHeaders } = await ask('/rest/v1/notes', { origin: EVIL, apikey: identity.keys.secret })
  expect(response.status).toBe(403)
  expect(await response.json()).toEqual({ message: expect.stringContaining('allowed_origins in supabase/undock.toml') })
  expect(responseHeaders.get('access-control-allow-origin')).toBe('*')
})

test("responses of undock’s own routes can't be read across origins", async () => {
  for (const [method, headers] of [
    ['GET', {}],
    ['OPTIONS', { 'access-control-request-method': 'POST', 'access-control-request-private-network': 'true' }],
  ] as const) {
    const { response, responseHeaders } = await ask(
      '/undock/v1/health',
      { origin: 'http://localhost:3000', ...headers },
      method,
    )
    for (const set of [response.headers, responseHeaders])
      expect([...set.keys()].join()).not.toContain('access-control')
  }
})

test('a local page may access the private network, a public one may not', async () => {
  const asked = { 'access-control-request-method': 'GET', 'access-control-request-private-network': 'true' }
  const answerTo = async (origin: string) => (await ask('/rest/v1/', { origin, ...asked }, 'OPTIONS')).response.headers
  expect((await answerTo(EVIL)).get('access-control-allow-private-network')).toBeNull()
  expect((await answerTo(EVIL)).get('access-control-allow-origin')).toBe('*')
  expect((await answerTo('http://localhost:5173')).get('access-control-allow-private-network')).toBe('true')
})
