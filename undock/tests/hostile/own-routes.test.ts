// What undock's own routes reject without the secret key, and even with it.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startStack, type TestStack } from '../../src/test-kit/start-stack.ts'
import { makeProject, type TestProject } from '../support/project.ts'

let project: TestProject
let stack: TestStack
beforeAll(async () => {
  project = await makeProject({
    'config.toml': 'project_id = "own-routes"',
    'migrations/1_start.sql': `create table notes (id int primary key, body text);
      insert into notes values (1, 'kept');
      alter table notes enable row level security;
      grant delete on notes to anon, authenticated;`,
    'functions/hello/index.ts': 'Deno.serve(() => new Response("hello"))',
  })
  stack = await startStack({ workdir: project.folder })
})
afterAll(async () => {
  await stack?.stop()
  await project.remove()
})

const post = (path: string, body: unknown, key = stack.keys.secret) =>
  fetch(`${stack.url}${path}`, { method: 'POST', headers: { apikey: key }, body: JSON.stringify(body) })

test('functions are served with variables, never with a file named in the request', async () => {
  const named = await post('/undock/v1/functions/serve', { envFile: '/etc/passwd' })
  expect([named.status, (await named.json()).message]).toEqual([400, expect.stringContaining('envFile')])
  const served = await post('/undock/v1/functions/serve', { variables: { GREETING: 'hello' } })
  expect(served.status).toBe(200)
  await served.body?.cancel()
  expect((await post('/undock/v1/functions/serve', {}, stack.keys.publishable)).status).toBe(403)
})

test("variables named in a request don't change how functions run", async () => {
  const file = join(project.folder, 'written')
  const variables = { LD_PRELOAD: file, DENO_AUDIT_PERMISSIONS: file, DENO_PERMISSION_BROKER_PATH: file }
  const served = await post('/undock/v1/functions/serve', { variables })
  const headers = { apikey: stack.keys.publishable }
  expect(await (await fetch(`${stack.url}/functions/v1/hello`, { headers })).text()).toBe('hello')
  expect(existsSync(file)).toBe(false)
  await served.body?.cancel()
})
