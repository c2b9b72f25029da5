// Sends large bodies without credentials to every endpoint that accepts one: each service rejects them in its own format and
// continues to serve others.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startStack, type TestStack } from '../../src/test-kit/start-stack.ts'
import { makeProject, type TestProject } from '../support/project.ts'

const MB = 1024 * 1024

let project: TestProject
let stack: TestStack
beforeAll(async () => {
  project = await makeProject({
    'config.toml': 'project_id = "hostile"',
    'undock.toml': '[limits]\nrest_body = "2MiB"\nfunctions_body = "1MiB"\n',
    'migrations/1_start.sql': `create table notes (name text);
      insert into storage.buckets (id, name, public) values ('open', 'open', true)`,
    'functions/echo/index.ts': 'Deno.serve(async (request) => Response.json((await request.text()).length))',
  })
  stack = await startStack({ workdir: project.folder })
})
afterAll(async () => {
  await stack?.stop()
  await project.remove()
})

const send = async (base: string, path: string, body: string, method = 'POST', type = 'application/json') => {
  const headers = { apikey: stack.keys.publishable, 'content-type': type, 'tus-resumable': '1.0.0' }
  const response = await fetch(`${base}${path}`, { method, body, headers })
  const text = await response.text()
  return { status: response.status, body: text.startsWith('{') ? (JSON.parse(text) as object) : text }
}

const MANY = `[${'{},'.repeat(200_000)}{}]`
const DEEP = `${'['.repeat(200_000)}${']'.repeat(200_000)}`
const LONG = `"${'x'.repeat(9 * MB)}"`

const auth = (code: string, status: number) => ({
  status,
  body: expect.objectContaining({ code: status, error_code: code }),
})
const storage = (statusCode: string) => ({ status: 400, body: expect.objectContaining({ statusCode }) })
const entityTooLarge = { status: 413, body: { message: 'Request Entity Too Large' } }

test.each<[string, string, string, object]>([
  ['the Data API, too long', '/rest/v1/notes', LONG, { status: 413, body: expect.objectContaining({ code: '54000' }) }],
  ['auth, too long', '/auth/v1/token?grant_type=password', LONG, auth('request_entity_too_large', 413)],
  ['auth, too deep', '/auth/v1/signup', `{"data":${DEEP}}`, auth('bad_json', 400)],
  ['auth, too many values', '/auth/v1/signup', `{"data":${MANY}}`, auth('bad_json', 400)],
  ['storage, too long', '/storage/v1/object/list/open', LONG, storage('413')],
  ['storage, too many values', '/storage/v1/object/list/open', `{"prefix":${MANY}}`, storage('413')],
  ['storage, too deep', '/storage/v1/object/move', `{"bucketId":${DEEP}}`, storage('413')],
  ['broadcasts, too long', '/realtime/v1/api/broadcast', LONG, entityTooLarge],
  ['broadcasts, too many values', '/realtime/v1/api/broadcast', `{"messages":${MANY}}`, entityTooLarge],
  ['a broadcast, too deep', '/realtime/v1/api/broadcast/topic/events/event', DEEP, entityTooLarge],
  [
    'broadcasts, too many messages',
    '/realtime/v1/api/broadcast',
    `{"messages":[${'{},'.repeat(2_000)}{}]}`,
    { status: 429, body: expect.objectContaining({ message: expect.stringContaining('Too many messages') }) },
  ],
  [
    'a function, too long',
    '/functions/v1/echo',
    LONG,
    { status: 413, body: expect.objectContaining({ code: 'BODY_TOO_LARGE' }) },
  ],
])('%s', async (_name, path, body, expected) => {
  expect(await send(stack.url, path, body)).toEqual(expected)
})

test('the inbox rejects a body that is too large', async () => {
  const tooLarge = { status: 413, body: expect.any(String) }
  expect(await send(stack.mailUrl ?? '', '/api/v1/send', LONG)).toEqual(tooLarge)
  expect(await send(stack.mailUrl ?? '', '/api/v1/messages', `{"IDs":${MANY}}`, 'DELETE')).toEqual(tooLarge)
})

test('accepts bodies within the limits', async () => {
  expect(await send(stack.url, '/functions/v1/echo', 'x'.repeat(MB))).toEqual({ status: 200, body: String(MB) })
  expect(await send(stack.url, '/rest/v1/notes', JSON.stringify({ name: 'x'.repeat(MB) }))).toEqual({
    status: 201,
    body: '',
  })
})
