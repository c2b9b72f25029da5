// Every API route that deletes, with each key an attacker may have: only their own data is deleted.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startWholeStack, type WholeStack } from '../../src/test-kit/whole-stack.ts'
import { makeProject, type TestProject } from '../support/project.ts'

let project: TestProject
let stack: WholeStack
let victim: string
let factor: string
let keys: Record<string, Record<string, string>>
beforeAll(async () => {
  project = await makeProject({
    'config.toml':
      'project_id = "deleting"\n[auth.mfa.totp]\nenroll_enabled = true\nverify_enabled = true\n[storage.vector]\nenabled = true\n',
    'migrations/1_start.sql': `create table notes (id int primary key);
      alter table notes enable row level security;
      grant all on notes to anon, authenticated;`,
    'functions/hello/index.ts': 'Deno.serve(() => new Response("hello"))',
  })
  stack = await startWholeStack({ workdir: project.folder })
  const own = await stack.createUser()
  const attacker = await stack.createUser()
  victim = own.id
  const enrolled = await fetch(`${stack.url}/auth/v1/factors`, {
    method: 'POST',
    headers: { apikey: stack.keys.publishable, authorization: `Bearer ${own.session.access_token}` },
    body: JSON.stringify({ factor_type: 'totp' }),
  })
  factor = (await enrolled.json()).id
  const apikey = stack.keys.publishable
  const bearer = (token: string) => ({ apikey, authorization: `Bearer ${token}` })
  keys = {
    none: {},
    publishable: { apikey },
    anon: bearer(stack.keys.anon),
    'another user': bearer(attacker.session.access_token),
    'a forged role': bearer(
      await stack.identity.sign({ role: 'supabase_admin', sub: attacker.id, exp: 9_999_999_999 }),
    ),
    'the owner of the database': bearer(await stack.identity.sign({ role: 'postgres', exp: 9_999_999_999 })),
    expired: bearer(await stack.identity.sign({ role: 'service_role', exp: 1 })),
    'another secret': bearer(`${stack.keys.serviceRole.slice(0, -6)}AAAAAA`),
    'an unsigned token': bearer(
      `${btoa('{"alg":"none","typ":"JWT"}')}.${btoa('{"role":"service_role","exp":9999999999}')}.`.replaceAll('=', ''),
    ),
  }
})
afterAll(async () => {
  await stack?.stop()
  await project.remove()
})

beforeEach(async () => {
  await stack.query('insert into notes values (1) on conflict do nothing')
  await stack.query("insert into storage.buckets (id, name) values ('docs', 'docs') on conflict do nothing")
  const path = `${stack.url}/storage/v1/object/docs/a.txt`
  const headers = { apikey: stack.keys.secret, 'x-upsert': 'true', 'content-type': 'text/plain' }
  expect((await fetch(path, { method: 'POST', headers, body: 'kept' })).status).toBe(200)
})

/** Counts everything that could be deleted. */
const state = async () => {
  const [row] = await stack.query(`select
    (select count(*)::int from notes) as notes,
    (select count(*)::int from storage.objects) as objects,
    (select count(*)::int from storage.buckets) as buckets,
    (select count(*)::int from auth.users) as users,
    (select count(*)::int from auth.identities) as identities,
    (select count(*)::int from auth.mfa_factors) as factors`)
  return row
}

/** Ids of the victim's objects, or ids that don't exist. */
const ROUTES: [method: string, path: (id: string) => string, body?: unknown][] = [
  ['DELETE', () => '/rest/v1/notes?id=eq.1'],
  ['DELETE', () => '/storage/v1/object/docs/a.txt'],
  ['DELETE', () => '/storage/v1/object/docs', { prefixes: ['a.txt'] }],
  ['DELETE', () => '/storage/v1/bucket/docs'],
  ['POST', () => '/storage/v1/bucket/docs/empty'],
  ['DELETE', () => '/storage/v1/s3/docs/a.txt'],
  ['DELETE', () => '/storage/v1/s3/docs'],
  ['POST', () => '/storage/v1/s3/docs?delete', '<Delete><Object><Key>a.txt</Key></Object></Delete>'],
  ['POST', () => '/storage/v1/vector/DeleteVectorBucket', { vectorBucketName: 'docs' }],
  ['DELETE', (id) => `/auth/v1/admin/users/${id}`],
  ['DELETE', (id) => `/auth/v1/admin/users/${id}/factors/${factor}`],
  ['DELETE', () => `/auth/v1/factors/${factor}`],
  ['DELETE', (id) => `/auth/v1/user/identities/${id}`],
  ['DELETE', (id) => `/auth/v1/admin/oauth/clients/${id}`],
  ['DELETE', (id) => `/auth/v1/admin/sso/providers/${id}`],
  ['DELETE', (id) => `/pg/tables/${id}`],
  ['POST', () => '/undock/v1/reset', {}],
  ['POST', () => '/undock/v1/branches', { action: 'remove', name: 'x' }],
]

describe.each(ROUTES)('%s %s', (method, path, body) => {
  test('deletes nothing for callers without permission', async () => {
    const before = await state()
    for (const [who, key] of Object.entries(keys)) {
      const text = typeof body === 'string' ? body : JSON.stringify(body)
      const headers = { ...key, ...(body === undefined ? {} : { 'content-type': 'application/json' }) }
      const response = await fetch(`${stack.url}${path(victim)}`, {
        method,
        headers,
        ...(body === undefined ? {} : { body: text ?? '' }),
      })
      const answer = `${who}: ${response.status} ${(await response.text()).slice(0, 200)}`
      // The Data API and deletions of several files respond for the rows a caller can see, which are none.
      expect(answer).toMatch(/^[^:]+: (?:4\d\d|501|503|20[04] (?:\[\]|$)) ?/)
    }
    expect(await state()).toEqual(before)
  })
})

test('the secret key deletes through these routes', async () => {
  const remove = async (path: string, method = 'DELETE') =>
    (await fetch(`${stack.url}${path}`, { method, headers: { apikey: stack.keys.secret } })).ok
  for (const path of ['/rest/v1/notes?id=eq.1', '/storage/v1/object/docs/a.txt', `/auth/v1/admin/users/${victim}`])
    expect(await remove(path)).toBe(true)
  expect(await state()).toMatchObject({ notes: 0, objects: 0, users: 1 })
})
