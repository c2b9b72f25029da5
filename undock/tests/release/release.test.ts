import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { UNDOCK } from '../support/paths.ts'
import { publishRelease, type Registry, type Stranger } from './registry.ts'

// A release as new users install it: from a registry, in an empty home, with nothing from this repository.

let registry: Registry
let stranger: Stranger | null = null

beforeAll(async () => {
  registry = await publishRelease()
})
afterEach(async () => {
  if (stranger) await stranger.run('npx', ['undock', 'stop'])
  stranger = null
})
afterAll(() => registry?.stop())

const PORTS = {
  SUPABASE_API_PORT: '9321',
  SUPABASE_DB_PORT: '9322',
  SUPABASE_STUDIO_PORT: '9324',
  SUPABASE_LOCAL_SMTP_PORT: '9325',
}
const SECRET = 'sb_secret_N7UND0UgjKTVK-Uodkm0Hg_xSvEMPvz'
const NOTES = `create extension vector with schema extensions;
create table public.notes (id int primary key, body text); insert into public.notes values (1, 'kept');`

/** A table's rows from a new user's backend. */
async function rows(): Promise<unknown> {
  const answer = await fetch('http://127.0.0.1:9321/rest/v1/notes?select=body', { headers: { apikey: SECRET } })
  return answer.json()
}

async function bytesBelow(folder: string): Promise<number> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true })
  const sizes = files
    .filter((one) => one.isFile())
    .map(async (one) => (await stat(join(one.parentPath, one.name))).size)
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}

test('npx starts a backend in a path with spaces and umlauts, from an empty cache, without install scripts', async () => {
  stranger = await registry.stranger('Mein schönes Projekt')
  await stranger.write({
    'supabase/config.toml': 'project_id = "stranger"\n[edge_runtime]\nenabled = false\n',
    'supabase/migrations/20260101000000_notes.sql': NOTES,
  })
  const words = ['--yes', '--ignore-scripts', 'undock', 'start', '--detach']
  const first = await stranger.run('npx', words, PORTS)
  expect(first.code, first.said).toBe(0)
  expect(await rows()).toEqual([{ body: 'kept' }])
  const status = await stranger.run('npx', ['undock', 'status', '-o', 'json'])
  expect(JSON.parse(status.said)).toMatchObject({ DB_ENGINE: 'native' })
  const megabytes = Math.round((await bytesBelow(join(stranger.home, '.npm/_npx'))) / 1e6)
  console.log(`npx, nothing cached: ${first.seconds.toFixed(1)} s to the first row, ${megabytes} MB installed`)
})

test('npm create undock makes a working project', async () => {
  stranger = await registry.stranger()
  const created = await stranger.run('npm', ['create', '--yes', 'undock', 'my-app'])
  expect(created.code, created.said).toBe(0)
  expect(created.said).toContain('+ ')
  const started = await stranger.run('npm', ['start', '--prefix', 'my-app'])
  expect(started.said).toContain('Signed up ada@example.org')
  const tested = await stranger.run('sh', ['-c', 'cd my-app && npx undock run -- npx undock db test'])
  expect(tested.code, tested.said).toBe(0)
})

test('an update keeps the data', async () => {
  stranger = await registry.stranger()
  await stranger.write({
    'package.json': '{"private": true}',
    'supabase/config.toml': 'project_id = "kept"\n[edge_runtime]\nenabled = false\n',
    'supabase/migrations/20260101000000_notes.sql': NOTES,
  })
  const install = (what: string) => stranger?.run('npm', ['install', '--save-dev', '--save-exact', what])
  const start = () => stranger?.run('npx', ['undock', 'start', '--detach'], PORTS)
  expect(await install('undock')).toMatchObject({ code: 0 })
  expect(await start()).toMatchObject({ code: 0 })
  await fetch('http://127.0.0.1:9321/rest/v1/notes', {
    method: 'POST',
    headers: { apikey: SECRET, 'content-type': 'application/json' },
    body: JSON.stringify({ id: 2, body: 'written before' }),
  })
  await stranger.run('npx', ['undock', 'stop'])
  await registry.publishAs('99.0.0')
  expect(await install('undock@99.0.0')).toMatchObject({ code: 0 })
  expect(JSON.parse(await readFile(join(stranger.folder, 'node_modules/undock/package.json'), 'utf8')).version).toBe(
    '99.0.0',
  )
  expect(await start()).toMatchObject({ code: 0 })
  expect(await rows()).toEqual([{ body: 'kept' }, { body: 'written before' }])
})

test('an installed version works without a network', async () => {
  stranger = await registry.stranger()
  await stranger.write({ 'package.json': '{"private": true}', 'supabase/config.toml': 'project_id = "offline"\n' })
  expect(await stranger.run('npm', ['install', '--save-dev', 'undock'])).toMatchObject({ code: 0 })
  const nowhere = { npm_config_registry: 'http://127.0.0.1:9/' }
  const ran = await stranger.run('npx', ['undock', 'run', '--', 'sh', '-c', 'echo "at $SUPABASE_URL"'], nowhere)
  expect(ran.said).toMatch(/at http:\/\/127\.0\.0\.1:\d+/)
})

test('the action starts a backend for later steps and lists the paths to cache', async () => {
  stranger = await registry.stranger()
  await stranger.write({
    'supabase/config.toml': 'project_id = "action"\n',
    'supabase/migrations/20260101000000_notes.sql': NOTES,
    output: '',
    env: '',
  })
  const own = stranger
  const variables = {
    ...PORTS,
    UNDOCK_WORKDIR: '.',
    UNDOCK_VERSION: JSON.parse(await readFile(join(UNDOCK, 'package.json'), 'utf8')).version,
    UNDOCK_EXCLUDE: 'functions',
    GITHUB_OUTPUT: join(own.folder, 'output'),
    GITHUB_ENV: join(own.folder, 'env'),
  }
  const step = async (name: string) => {
    const ran = await own.run('bash', [join(UNDOCK, 'action/undock.sh'), name], variables)
    expect(ran.code, ran.said).toBe(0)
    return readFile(variables.GITHUB_OUTPUT, 'utf8')
  }
  const keyOf = (output: string) => /^key=(.+)$/m.exec(output)?.[1]
  const before = await step('paths')
  expect(keyOf(before)).toMatch(/^undock-Linux-\w+-[0-9a-f]{32}$/)
  await step('start')
  expect(await rows()).toEqual([{ body: 'kept' }])
  expect(await readFile(variables.GITHUB_ENV, 'utf8')).toMatch(/^API_URL=http:\/\/127\.0\.0\.1:9321$/m)
  for (const path of /cached<<END\n([\s\S]*?)\nEND/
    .exec(before)?.[1]
    ?.split('\n')
    .filter((one) => !one.endsWith('deno')) ?? [])
    expect((await stat(path)).isDirectory()).toBe(true)
  await own.write({ output: '', 'supabase/migrations/20260102000000_more.sql': 'select 1;' })
  expect(keyOf(await step('paths'))).not.toBe(keyOf(before))
})
