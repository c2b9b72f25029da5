// The project's SQL sends requests with pg_net and http. They reach this machine, with its public keys, but not undock's own routes.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startStack, type TestStack } from '../../src/test-kit/start-stack.ts'
import { makeProject, type TestProject } from '../support/project.ts'

let project: TestProject
let stack: TestStack
beforeAll(async () => {
  project = await makeProject({
    'config.toml': 'project_id = "requests-from-sql"',
    'migrations/1_http.sql': 'create extension http with schema extensions;',
  })
  stack = await startStack({ workdir: project.folder, console: true })
})
afterAll(async () => {
  await stack?.stop()
  await project.remove()
})

type Answer = { readonly status: number; readonly headers: string; readonly content: string }

async function askByHttp(method: string, url: string, headers: Record<string, string>): Promise<Answer> {
  const fields = Object.entries(headers).map(([name, value]) => `extensions.http_header('${name}', '${value}')`)
  const [answer] = await stack.query<Answer>(`select status, headers::text, content from extensions.http((
    '${method}', '${url}', array[${fields}]::extensions.http_header[], 'application/json', '{}')::extensions.http_request)`)
  return answer as Answer
}

async function askByNet(method: string, url: string, headers: Record<string, string>): Promise<Answer> {
  const call = method === 'GET' ? 'http_get' : 'http_post'
  const [sent] = await stack.query<{ id: string }>(
    `select net.${call}('${url}', headers := '${JSON.stringify(headers)}') as id`,
  )
  const found = () =>
    stack.query<Answer>(
      `select status_code as status, headers::text, content from net._http_response where id = ${sent?.id}`,
    )
  await expect.poll(found, { timeout: 20_000 }).toHaveLength(1)
  return (await found())[0] as Answer
}

test.for([
  ['http', askByHttp],
  ['pg_net', askByNet],
] as const)('%s reaches the API, and none of undock’s own routes', async ([name, ask], { skip }) => {
  // PGlite runs `http` where PostgreSQL's user can't reach any Node. Its only session would wait for itself.
  const [pglite] = await stack.query(`select version() as build where version() ~* 'emcc|emscripten|wasm'`)
  if (name === 'http' && pglite) skip()
  const withKey = {
    apikey: stack.keys.secret,
    accept: 'application/json, text/event-stream',
    'sec-fetch-site': 'same-origin',
    'sec-fetch-dest': 'document',
    'x-undock-project-request': '',
  }
  expect((await ask('GET', `${stack.url}/rest/v1/`, { apikey: stack.keys.secret })).status).toBe(200)
  const { apikey: _key, ...keyless } = withKey
  for (const [method, url] of [
    ['POST', `${stack.url}/mcp`],
    ['GET', `${stack.url}/undock/v1/requests`],
    ['POST', `${stack.url}/undock/v1/console`],
    ['POST', `${stack.url}/undock/v1/reset`],
    ['GET', `${stack.consoleUrl}/`],
    ['GET', `${stack.consoleUrl}/api/project`],
    ['GET', `${stack.mailUrl}/api/v1/messages`],
    ['GET', `${stack.mailUrl}/`],
  ] as const)
    for (const headers of [withKey, keyless]) {
      const { status, headers: answered } = await ask(method, url, headers)
      expect([method, url, status]).toEqual([method, url, 403])
      expect(answered).not.toContain('set-cookie')
    }
})
