// Names that are members of every JavaScript object work like any other name in projects and requests.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startStack, type TestStack } from '../../src/test-kit/start-stack.ts'
import { makeProject, type TestProject } from '../support/project.ts'

const NAMES = ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf']
const columns = NAMES.map((name) => `"${name}" text`).join()

let project: TestProject
let stack: TestStack
beforeAll(async () => {
  project = await makeProject({
    'config.toml': 'project_id = "names"\n[functions.constructor]\nverify_jwt = false',
    'functions/constructor/index.ts': 'Deno.serve(() => new Response("served"))',
    'migrations/1_start.sql': NAMES.map(
      (name) => `create table "${name}" (id int primary key, parent int references "constructor", ${columns});
        create function "f_${name}"("${name}" text) returns text language sql as 'select $1';`,
    ).join('\n'),
  })
  stack = await startStack({ workdir: project.folder, exclude: ['realtime', 'mail', 'pg', 'mcp'] })
})
afterAll(async () => {
  await stack?.stop()
  await project.remove()
})

async function send(path: string, body: string | null = null, { headers, ...init }: RequestInit = {}) {
  const response = await fetch(stack.url + path, {
    method: body === null ? 'GET' : 'POST',
    body,
    redirect: 'manual',
    ...init,
    headers: { apikey: stack.keys.secret, 'content-type': 'application/json', ...headers },
  })
  return { status: response.status, text: await response.text() }
}

test.each(NAMES)('supports tables, columns, functions, buckets, files and metadata named %s', async (name) => {
  const fulfilled = async (...call: Parameters<typeof send>) => {
    const { status, text } = await send(...call)
    expect(status, `${call[0]}: ${text.slice(0, 200)}`).toBeLessThan(300)
    return text
  }
  const row = `{"id":1,${NAMES.map((column) => `"${column}":"${column}"`).join()}}`
  const headers = { prefer: 'resolution=merge-duplicates,return=representation' }
  expect(await fulfilled(`/rest/v1/${name}?on_conflict=id`, row, { headers })).toContain(`"${name}":"${name}"`)
  for (const column of NAMES) {
    const found = await fulfilled(`/rest/v1/${name}?select=${column}&${column}=eq.${column}&order=${column}`)
    expect(found).toBe(`[{"${column}":"${column}"}]`)
    await fulfilled(`/rest/v1/${name}?select=id,constructor!parent(${column})&constructor.${column}=is.null`)
    await fulfilled(`/rest/v1/${name}?id=eq.1`, `{"${column}":"${column}"}`, { method: 'PATCH' })
  }
  expect(await fulfilled(`/rest/v1/rpc/f_${name}?${name}=x`)).toBe('"x"')
  expect(await fulfilled(`/rest/v1/rpc/f_${name}`, `{"${name}":"x"}`)).toBe('"x"')
  expect(await fulfilled('/rest/v1/')).toContain(`"/${name}"`)
  await fulfilled('/storage/v1/bucket', JSON.stringify({ id: name, name }))
  await fulfilled(`/storage/v1/object/${name}/${name}`, name, { headers: { 'x-metadata': btoa(`{"${name}":"x"}`) } })
  expect(await fulfilled(`/storage/v1/object/info/${name}/${name}`)).toContain(`"${name}":"x"`)
  const user = `{"email":"${name.replaceAll('_', 'x')}@example.com","user_metadata":{"${name}":"x"}}`
  await fulfilled('/auth/v1/admin/users', user)
})

const REFUSED = [
  ...['/toString/v1', '/functions/v1/toString', '/auth/v1/toString', '/storage/v1/toString'],
  ...['/undock/v1/constructor', '/rest/v1/rpc/constructor', '/rest/v1/constructor?constructor=is.constructor'],
  ...['/auth/v1/authorize?provider=constructor', '/auth/v1/verify?type=constructor&token=x'],
  ...['/auth/v1/callback?state=constructor', '/auth/v1/token?grant_type=constructor'],
]
test.each(REFUSED)('rejects %s without an internal error', async (path) => {
  const body = '{"__proto__":{"x":1},"constructor":{"prototype":{"x":1}},"type":"constructor","factor_type":"toString"}'
  for (const sent of [null, body]) expect((await send(path, sent)).status).toSatisfy((is) => is >= 300 && is < 500)
  expect(Object.keys(Object.prototype)).toEqual([])
})

test('serves a function named constructor', async () => {
  expect(await send('/functions/v1/constructor')).toEqual({ status: 200, text: 'served' })
})
