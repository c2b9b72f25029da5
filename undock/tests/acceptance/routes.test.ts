import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ListedRoute, ROUTES } from '../../scripts/routes.ts'
import { ACCESS, type Access, WEBSOCKET } from '../../src/kernel/router.ts'
import { type Stack, startStack } from '../../src/runtime/stack/stack.ts'
import { makeProject, type TestProject } from '../support/project.ts'

let project: TestProject
let stack: Stack
beforeAll(async () => {
  project = await makeProject({
    'config.toml': `project_id = "routes"
[auth]
enable_manual_linking = true
enable_anonymous_sign_ins = true
[auth.passkey]
enabled = true
[auth.webauthn]
rp_display_name = "Test"
rp_id = "localhost"
rp_origins = ["http://localhost:3000"]
[auth.oauth_server]
enabled = true
[storage.vector]
enabled = true`,
    'functions/hello/index.ts': 'Deno.serve(() => new Response("hello"))',
  })
  stack = await startStack({ workdir: project.folder, ports: 'free', state: 'memory', console: true })
})
afterAll(async () => {
  await stack?.stop()
  await project?.remove()
})

/** A request without access and its error. @property body The expected body, except for HEAD. */
type Refusal = {
  readonly headers: () => Record<string, string> | Promise<Record<string, string>>
  readonly status: number
  readonly body: RegExp
}

const nothing = () => ({})
const publishableKey = () => ({ apikey: stack.identity.keys.publishable })
const badToken = () => ({ authorization: 'Bearer x.y.z' })
const otherName = () => ({ host: 'evil.example' })
const otherOrigin = () => ({ origin: 'https://evil.example' })
const anonymousUser = async () => {
  const response = await fetch(`${stack.url}/auth/v1/signup`, { method: 'POST', headers: publishableKey(), body: '{}' })
  const { access_token } = (await response.json()) as { access_token: string }
  return { authorization: `Bearer ${access_token}` }
}
/** The console's session in a page opened without a link. */
const openedPage = async () => {
  const page = await fetch(stack.consoleUrl ?? '', { headers: { 'sec-fetch-dest': 'document' } })
  const cookie = page.headers.get('set-cookie')?.split(';')[0] ?? ''
  return { cookie, 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
}

const noUser: Refusal = { headers: nothing, status: 401, body: /"error_code":"no_authorization"/ }
const noSession: Refusal = { headers: nothing, status: 401, body: /has no session of the console/ }
const noOwnPage: Refusal = { headers: openedPage, status: 401, body: /Only the pages of this console/ }

/** By listener and access. */
const REFUSALS: Readonly<Record<string, readonly Refusal[]>> = {
  'rest role': [{ headers: badToken, status: 401, body: /"code":"PGRST301"/ }],
  'auth bearer': [noUser],
  'auth user': [noUser],
  'auth member': [noUser, { headers: anonymousUser, status: 403, body: /Anonymous user not allowed/ }],
  'auth service': [{ headers: publishableKey, status: 403, body: /"error_code":"not_admin"/ }],
  'storage key': [{ headers: nothing, status: 400, body: /"code":"AccessDenied"/ }],
  'storage service': [{ headers: publishableKey, status: 403, body: /Access denied: Invalid role/ }],
  'storage signature': [{ headers: nothing, status: 403, body: /<Error>.*<Code>AccessDenied/ }],
  'realtime key': [{ headers: nothing, status: 401, body: /"message":"Unauthorized"/ }],
  'realtime socket': [{ headers: nothing, status: 401, body: /API key is missing/ }],
  'functions function': [{ headers: nothing, status: 401, body: /Missing authorization header/ }],
  'pg service': [{ headers: publishableKey, status: 403, body: /Only the secret key of the project may use/ }],
  'mcp program': [{ headers: publishableKey, status: 403, body: /accepts only the secret key/ }],
  'undock service': [{ headers: publishableKey, status: 403, body: /needs the project's secret key/ }],
  'console machine': [{ headers: otherName, status: 403, body: /is available only on this machine/ }],
  'console session': [noSession, noOwnPage],
  'console frame': [noSession, noOwnPage],
  'console change': [noSession, noOwnPage],
  'mail machine': [{ headers: otherName, status: 403, body: /is available only on this machine/ }],
  'mail ownPage': [{ headers: otherOrigin, status: 403, body: /is available only on this machine/ }],
}

/** Long polling responds 200 with the status in the body; a rejected handshake has no body, except Realtime's. */
function refusalOf(route: ListedRoute, refusal: Refusal): { status: number; body: RegExp } {
  if (route.path.endsWith('/longpoll')) return { status: 200, body: /"status":403/ }
  if (route.method !== WEBSOCKET || route.listener === 'realtime') return refusal
  return { status: route.listener === 'console' ? 403 : refusal.status, body: /^$/ }
}

const isOpen = (access: Access): boolean => access === 'anyone' || access === 'optional'

test('covers every kind of access, with a rejected caller for each restricted one', () => {
  expect(new Set(ROUTES.map(({ access }) => access))).toEqual(new Set(Object.keys(ACCESS)))
  const checked = ROUTES.filter(({ access }) => !isOpen(access)).map(({ listener, access }) => `${listener} ${access}`)
  expect(new Set(checked)).toEqual(new Set(Object.keys(REFUSALS)))
})

test.each(Object.keys(REFUSALS))('%s: each route rejects callers without access', async (name) => {
  for (const refusal of REFUSALS[name] ?? []) {
    const headers = await refusal.headers()
    for (const route of ROUTES.filter(({ listener, access }) => `${listener} ${access}` === name))
      for (const method of methodsOf(route)) {
        const { status, body } = refusalOf(route, refusal)
        const answer = await ask(method, route, headers)
        expect([method, route.path, answer.status, answer.body]).toEqual([
          method,
          route.path,
          status,
          method === 'HEAD' ? '' : expect.stringMatching(body),
        ])
      }
  }
})

const methodsOf = ({ method, listener }: ListedRoute): string[] =>
  method === '*' ? [listener === 'realtime' ? 'GET' : 'POST'] : method.split('|')

async function ask(method: string, { listener, path }: ListedRoute, headers: Record<string, string>) {
  const base = { console: stack.consoleUrl, mail: stack.mailUrl }[listener as string] ?? stack.url
  const filled = path.replace('{name}', 'hello').replaceAll(/\{(\w+)(?:\.\.\.)?\}/g, () => crypto.randomUUID())
  const isHandshake = method === WEBSOCKET
  const handshake = isHandshake ? { connection: 'upgrade', upgrade: 'websocket' } : {}
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request(base + filled, { method: isHandshake ? 'GET' : method, headers: { ...headers, ...handshake } }, resolve)
      .on('error', reject)
      .end()
  })
  return { status: response.statusCode, body: await text(response) }
}
