// A function tries to control the backend with every key it has. All of it is refused; the keys go on working for data.
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDeployedProject } from '../../src/cli/hosted/project.ts'
import { userCacheFolder } from '../../src/platform/folders.ts'
import { controlRoutes } from '../../src/runtime/control/control.ts'
import { type Stack, startStack } from '../../src/runtime/stack/stack.ts'
import { makeProject, type TestProject } from '../support/project.ts'

/** Sends the requests in its body, each with every value of its environment as a key, and reads files. */
const ATTACKER = `Deno.serve(async (request) => {
  const { calls, files } = await request.json()
  const env = Deno.env.toObject()
  const keys = ['SUPABASE_SECRET_KEYS', 'SUPABASE_PUBLISHABLE_KEYS'].map((name) => JSON.parse(env[name]).default)
  const all = ['', ...keys, ...Object.values(env).filter((value) => /^[\\x21-\\x7e]{1,2000}$/.test(value))]
  const answers = []
  for (const { url, method, headers = {}, body } of calls) {
    const statuses = new Set()
    let cookie = null
    for (const key of all) {
      const ways = [{ apikey: key }, { authorization: 'Bearer ' + key }]
      for (const way of key === '' ? [{}] : ways) {
        const response = await fetch(url, { method, headers: { ...headers, ...way }, body, redirect: 'manual' })
        statuses.add(response.status)
        cookie ??= response.headers.get('set-cookie')
        await response.body?.cancel()
      }
    }
    answers.push({ url, statuses: [...statuses].sort(), cookie })
  }
  const read = []
  for (const file of files) read.push(await Deno.readTextFile(file).catch(({ name }) => name))
  const rows = await fetch(env.SUPABASE_URL + '/rest/v1/notes', { headers: { apikey: keys[0] } })
  return Response.json({ answers, read, data: rows.status, env: Object.values(env) })
})`

let project: TestProject
let stack: Stack
beforeAll(async () => {
  project = await makeProject({
    'config.toml': 'project_id = "control-plane"\n',
    'migrations/1_start.sql': 'create table notes (id int); grant select on notes to service_role;',
    'functions/attacker/index.ts': ATTACKER,
  })
  stack = await startStack({ workdir: project.folder, ports: 'free', state: 'disk', console: true })
})
afterAll(async () => {
  await stack?.stop()
  await project?.remove()
})

async function attack(calls: readonly object[], files: readonly string[] = []) {
  const response = await fetch(`${stack.url}/functions/v1/attacker`, {
    method: 'POST',
    headers: { apikey: stack.identity.keys.publishable },
    body: JSON.stringify({ calls, files }),
  })
  return response.json()
}

test("a function's keys open data, but none of undock's own routes", async () => {
  const own = controlRoutes.filter(({ access }) => access === 'control')
  const calls = [
    ...own.map(({ method, path }) => ({ url: `${stack.url}/undock/v1${path.replace(/{.+?}/, 'x')}`, method })),
    ...['tables', 'query'].map((path) => ({ url: `${stack.url}/pg/${path}`, method: 'POST' })),
    ...['', '?read_only=true'].map((query) => ({ url: `${stack.url}/mcp${query}`, method: 'POST' })),
    { url: `${stack.url}//mcp`, method: 'POST' },
    { url: `${stack.url}/rest/v1/../../undock/v1/reset`, method: 'POST' },
    { url: `${stack.url}/rest/v1/%2e%2e/%2e%2e/pg/tables`, method: 'GET' },
  ].map((call) => ({ ...call, body: call.method === 'POST' ? '{}' : undefined }))
  const { answers, data, env } = await attack(calls)
  expect(answers).toHaveLength(calls.length)
  for (const { url, statuses } of answers)
    expect([url, statuses.filter((status: number) => ![401, 403, 404].includes(status))]).toEqual([url, []])
  expect(data).toBe(200)
  expect(JSON.stringify(env)).not.toContain(stack.identity.keys.control)
})

test('a function gets no session of the console, whatever its requests claim to be', async () => {
  const page = { 'sec-fetch-dest': 'document', 'sec-fetch-mode': 'navigate', 'sec-fetch-site': 'none' }
  const calls = [{}, page].flatMap((headers) =>
    ['/', '/tables', '/open/guess', '/api/project', '/api/services/undock/v1/clock'].map((path) => ({
      url: stack.consoleUrl + path,
      method: 'GET',
      headers,
    })),
  )
  const { answers } = await attack(calls)
  for (const { url, statuses, cookie } of answers) {
    expect([url, cookie]).toEqual([url, null])
    if (url.includes('/api/')) expect([url, statuses]).toEqual([url, [401]])
  }
})

test('a function reads no file with the control key, and only its user can', async () => {
  const lock = join(project.folder, 'supabase/.undock/lock')
  const keys = join(userCacheFolder(process.env), 'control-keys')
  const kept = (await readdir(keys)).map((name) => join(keys, name))
  const { read } = await attack([], [join(project.folder, 'supabase/config.toml'), lock, ...kept])
  expect(read).toEqual([expect.stringContaining('project_id'), 'NotFound', ...kept.map(() => 'NotFound')])
  expect(JSON.parse(await readFile(lock, 'utf8')).controlKey).toBe(stack.identity.keys.control)
  if (process.platform !== 'win32')
    for (const file of [lock, ...kept]) expect((await stat(file)).mode & 0o777).toBe(0o600)
})

test("a function deployed to `undock hosted` can't read the token of its Management API", async () => {
  const folder = join(project.folder, 'supabase/.undock/hosted')
  const source = join(folder, 'supabase/functions/reader/index.ts')
  await mkdir(dirname(source), { recursive: true })
  await writeFile(join(folder, 'env.sh'), 'export TOKEN=sbp_1')
  await writeFile(
    source,
    `Deno.serve(async () => Response.json(await Promise.all(['deployed.json', 'env.sh', 'supabase/config.json'].map(
      (name) => Deno.readTextFile(${JSON.stringify(`${folder}/`)} + name).then(() => 'read', (error) => error.name)))))`,
  )
  const exclude = ['rest', 'auth', 'storage', 'realtime', 'mail', 'mcp', 'pg'] as const
  const hosted = await openDeployedProject(folder, undefined, (workdir) =>
    startStack({ workdir, env: {}, ports: 'free', exclude }),
  )
  const headers = { apikey: hosted.stack.identity.keys.publishable }
  const response = await fetch(`${hosted.stack.url}/functions/v1/reader`, { headers })
  expect(await response.json()).toEqual(['NotFound', 'NotFound', 'read'])
  await hosted.stop()
})

test('the control key opens no data', async () => {
  const headers = { apikey: stack.identity.keys.control }
  const status = async (path: string) => (await fetch(stack.url + path, { headers })).status
  expect(await status('/rest/v1/notes')).toBe(401)
  expect(await status('/auth/v1/admin/users')).toBe(401)
  expect(await status('/undock/v1/clock')).toBe(200)
})
