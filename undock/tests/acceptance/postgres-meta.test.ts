import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Stack, startStack } from '../../src/runtime/stack/stack.ts'
import { makeProject, type TestProject } from '../support/project.ts'

const FETCHING = 300_000

let project: TestProject
let stack: Stack

beforeAll(async () => {
  project = await makeProject({
    'config.toml': 'project_id = "meta"\n[edge_runtime]\nenabled = false\n',
    'migrations/20260101000000_books.sql': `
      create table public.books (id bigint primary key generated always as identity, title text not null);
      alter table public.books enable row level security;`,
  })
  stack = await startStack({ workdir: project.folder, ports: 'free', state: 'memory' })
  // The first request on a machine downloads the package.
  expect((await ask('GET', '/health')).status).toBe(200)
}, FETCHING)
afterAll(async () => {
  await stack?.stop()
  await project?.remove()
})

const ask = async (method: string, path: string, body?: unknown) => {
  const apikey = stack.identity.keys.secret
  const response = await fetch(`${stack.url}/pg${path}`, {
    method,
    ...(body === undefined
      ? { headers: { apikey } }
      : { headers: { apikey, 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  return { status: response.status, body: isJson ? JSON.parse(text) : text }
}

test('/pg is off in a project without the console', async () => {
  const other = await makeProject({ 'config.toml': '[studio]\nenabled = false\n' })
  const exclude = ['rest', 'auth', 'storage', 'realtime', 'functions', 'mail'] as const
  const without = await startStack({ workdir: other.folder, ports: 'free', state: 'memory', exclude })
  expect((await fetch(`${without.url}/pg/tables`)).status).toBe(503)
  await without.stop()
  await other.remove()
})

test.each(
  (
    'column-privileges columns config config/version extensions foreign-tables functions indexes materialized-views ' +
    'policies publications roles schemas table-privileges tables triggers types views'
  ).split(' '),
)('lists %s', async (name) => {
  expect(await ask('GET', `/${name}`)).toMatchObject({ status: 200, body: expect.any(Object) })
})

test('creates, changes and drops a table, a column and a policy', async () => {
  const created = await ask('POST', '/tables', { name: 'notes', schema: 'public' })
  expect(created).toMatchObject({ status: 200, body: { name: 'notes' } })
  const { id } = created.body
  expect(await ask('POST', '/columns', { table_id: id, name: 'body', type: 'text' })).toMatchObject({ status: 200 })
  const policy = { name: 'everyone reads', schema: 'public', table: 'notes', command: 'SELECT', definition: 'true' }
  expect(await ask('POST', '/policies', policy)).toMatchObject({ status: 200 })
  expect(await ask('PATCH', `/tables/${id}`, { rls_enabled: true })).toMatchObject({ body: { rls_enabled: true } })
  expect((await ask('GET', '/policies')).body).toEqual([expect.objectContaining({ name: 'everyone reads' })])
  expect(await ask('DELETE', `/tables/${id}`)).toMatchObject({ status: 200 })
  expect((await ask('GET', '/policies')).body).toEqual([])
})

test('names with quotes, SQL or of members of JavaScript objects are only names', async () => {
  for (const name of [
    `a"b'c`,
    '; drop table public.books; --',
    '__proto__',
    'constructor',
    '$$',
    'é😀',
    'x'.repeat(63),
  ]) {
    const { status, body: table } = await ask('POST', '/tables', { name, schema: 'public', comment: name })
    expect([status, table.name, table.comment]).toEqual([200, name, name])
    const column = { table_id: table.id, name, type: 'text', default_value: name, comment: name }
    expect(await ask('POST', '/columns', column)).toMatchObject({ status: 200, body: { name } })
    const policy = { name, schema: 'public', table: name, command: 'SELECT', definition: 'true', roles: ['anon'] }
    expect(await ask('POST', '/policies', policy)).toMatchObject({ status: 200, body: { name, table: name } })
    expect(await ask('DELETE', `/tables/${table.id}`)).toMatchObject({ status: 200 })
  }
  expect((await ask('GET', '/tables?included_schemas=public')).body).toMatchObject([{ name: 'books' }])
})

test('runs queries as postgres and reports their errors', async () => {
  expect(await ask('POST', '/query', { query: 'select current_user, 6 * 7 as product' })).toEqual({
    status: 200,
    body: [{ current_user: 'postgres', product: 42 }],
  })
  expect(await ask('POST', '/query', { query: 'select nothing from nowhere' })).toMatchObject({
    status: 400,
    body: { code: '42P01', message: 'relation "nowhere" does not exist' },
  })
})

test('generates types', async () => {
  const { status, body } = await ask('GET', '/generators/typescript?included_schemas=public')
  expect(status).toBe(200)
  expect(body).toMatch(/books: \{\s+Row: \{\s+id: number;?\s+title: string/)
})
