import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type PackedProject, packedProject } from '../support/packed.ts'
import { commandOf, UNDOCK } from '../support/paths.ts'

// A published release as installed by a new user: no workspace, no sources, nothing compiled on this machine, no install scripts.

/** Milliseconds to build and install packages on a busy machine. */
const TIMEOUT = 600_000

/** Without a compiler, there is no PostgreSQL package. */
const hasPostgres =
  spawnSync(process.execPath, [join(UNDOCK, 'native/build.ts'), '--essential', '--check']).status === 0
const platform = `${process.platform}-${process.arch}`

const MIGRATION = `
create extension vector with schema extensions;
create table public.places (at extensions.vector(2));
insert into public.places values ('[3,4]');
create function note() returns event_trigger language plpgsql as 'begin end';
create event trigger notes on ddl_command_end execute function note();
create function public.wrong() returns text language plpgsql as 'begin return (select nick from public.places); end';`

const PORTS = `
[api]
port = 9221
[db]
port = 9222
shadow_port = 9223
[studio]
port = 9224
[local_smtp]
port = 9225
[analytics]
enabled = false
[storage.image_transformation]
enabled = true
`

let project: PackedProject
let manifest: string
const packages = () => join(project.folder, 'node_modules')

beforeAll(async () => {
  manifest = await readFile(join(UNDOCK, 'package.json'), 'utf8')
  project = await packedProject({ withPostgres: hasPostgres })
  await project.write({
    'supabase/config.toml': `project_id = "package"\n${PORTS}`,
    ...(hasPostgres ? { 'supabase/migrations/20260101000000_places.sql': MIGRATION } : {}),
  })
}, TIMEOUT)
afterAll(() => project?.remove())

/** Runs a module with a backend and parses the JSON it prints. */
async function withBackend(
  script: string,
  env: Record<string, string> = {},
): Promise<{ found: unknown; said: string }> {
  await project.write({ 'ask.js': script })
  const words = ['run', '--', process.execPath, 'ask.js']
  const { code, stdout, stderr } = await project.run(join(packages(), '.bin/undock'), words, env)
  expect(code, stderr).toBe(0)
  return { found: JSON.parse(stdout), said: stderr }
}

test.runIf(hasPostgres)('is small and has no dependency with install scripts', async () => {
  const lock = JSON.parse(await readFile(join(packages(), '.package-lock.json'), 'utf8')) as {
    packages: Record<string, { hasInstallScript?: boolean }>
  }
  const files = await readdir(packages(), { recursive: true, withFileTypes: true })
  const sizes = await Promise.all(
    files.filter((one) => one.isFile()).map(async (one) => (await stat(join(one.parentPath, one.name))).size),
  )
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(85_000_000)
  expect(sizes.length).toBeLessThan(2_000)
  expect(Object.keys(lock.packages).length).toBeLessThanOrEqual(8)
  expect(Object.entries(lock.packages).filter(([, { hasInstallScript }]) => hasInstallScript)).toEqual([])
})

test('the help lists the commands', async () => {
  const { code, stdout } = await project.undock('--help')
  expect(code).toBe(0)
  expect(stdout).toMatch(/^ {2}start {2,}start the project's backend/m)
})

test('exits cleanly when its output is closed early', async () => {
  const child = project.launch('--help')
  child.stdout?.destroy()
  expect(await once(child, 'exit')).toEqual([0, null])
})

test('the installed command starts a backend, natively where the package exists', async () => {
  const { found, said } = await withBackend(`
    const { SUPABASE_URL, SUPABASE_SECRET_KEY: apikey } = process.env
    const answers = await Promise.all(['/rest/v1/', '/auth/v1/settings', '/storage/v1/bucket'].map((path) =>
      fetch(SUPABASE_URL + path, { headers: { apikey } })))
    console.log(JSON.stringify(answers.map(({ status }) => status)))`)
  expect(found).toEqual([200, 200, 200])
  if (hasPostgres) expect(said).not.toMatch(/fetching|PGlite/)
})

test.runIf(hasPostgres)(
  'the native engine has what its platform package includes',
  async () => {
    const published = JSON.parse(await readFile(join(packages(), 'undock/package.json'), 'utf8'))
    expect(published.optionalDependencies).toEqual({ [`@undock/postgres-17-${platform}`]: published.version })
    const started = await project.undock('start', '--detach')
    expect(started.code, started.stderr).toBe(0)
    try {
      const { DB_ENGINE } = JSON.parse((await project.undock('status', '-o', 'json')).stdout)
      expect(DB_ENGINE).toBe('native')
      await project.write({ 'node_modules/.bin/supabase': `#!/bin/sh\nexec ${commandOf('supabase')} "$@"\n` })
      await project.run('chmod', ['+x', join(packages(), '.bin/supabase')])
      const { stdout, stderr } = await project.undock('supabase', 'db', 'lint', '--schema', 'public', '-o', 'json')
      expect(JSON.parse(stdout), stderr).toMatchObject([
        { function: 'public.wrong', issues: [{ message: 'column "nick" does not exist' }] },
      ])
      expect((await project.undock('db', 'dump')).stdout).toMatch(/CREATE TABLE .*"public"."places"/)
    } finally {
      await project.undock('stop')
    }
  },
  TIMEOUT,
)

test('the installed library starts a stack', async () => {
  await project.write({
    'library.js': `
    import { startStack } from 'undock'
    const stack = await startStack({ workdir: '.', ports: 'free', state: 'memory' })
    console.log(stack.url)
    await stack.stop()`,
  })
  const { stdout } = await project.run(process.execPath, ['library.js'])
  expect(stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/m)
})

test('the library has types', async () => {
  await project.write({
    'typed.ts': `
    import { startStack } from 'undock'
    const stack = await startStack({ workdir: '.', ports: 'free', state: 'memory' })
    export const url: string = stack.url
    export const token: string = (await stack.createUser()).session.access_token
    // @ts-expect-error a token is no number
    export const wrongToken: number = (await stack.createUser()).session.access_token
    // @ts-expect-error an address is no number
    export const wrong: number = stack.url`,
  })
  const words = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--types', '', 'typed.ts']
  const { code, stdout } = await project.run(commandOf('tsc'), words)
  expect(stdout).toBe('')
  expect(code).toBe(0)
})

/** Stores an image of one pixel and requests it in another size. */
const TRANSFORM = `
  const { SUPABASE_URL, SUPABASE_SECRET_KEY: apikey } = process.env
  const post = (path, type, body) => fetch(SUPABASE_URL + '/storage/v1' + path, {
    method: 'POST', body, headers: { apikey, authorization: 'Bearer ' + apikey, 'content-type': type } })
  await post('/bucket', 'application/json', JSON.stringify({ id: 'b', name: 'b', public: true }))
  const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
  await post('/object/b/a.png', 'image/png', Buffer.from(pixel, 'base64'))
  const answer = await fetch(SUPABASE_URL + '/storage/v1/render/image/public/b/a.png?width=8&height=8')
  const type = answer.headers.get('content-type')
  console.log(JSON.stringify([type, type === 'image/png' ? null : (await answer.json()).message]))`

/** Nothing listens here. */
const NO_REGISTRY = { npm_config_registry: 'http://127.0.0.1:9/' }

test(
  'on-demand downloads are named without a network and work with one',
  async () => {
    const before = await withBackend(TRANSFORM, NO_REGISTRY)
    expect(before.found).toEqual([
      expect.stringContaining('application/json'),
      expect.stringMatching(/^Images are transformed by the package sharp: npm could not fetch sharp@/),
    ])
    expect((await project.undock('doctor')).stdout).toMatch(/Not fetched yet: .*images.*`undock prefetch`/)
    const fetched = await project.undock('prefetch', 'images', 'pglite')
    expect(fetched.code, fetched.stderr).toBe(0)
    expect((await withBackend(TRANSFORM, NO_REGISTRY)).found).toEqual(['image/png', null])
    const onPglite = await withBackend(
      `const { SUPABASE_URL, SUPABASE_SECRET_KEY: apikey } = process.env
    console.log((await fetch(SUPABASE_URL + '/rest/v1/', { headers: { apikey } })).status)`,
      { ...NO_REGISTRY, UNDOCK_ENGINE: 'pglite' },
    )
    expect(onPglite.found).toBe(200)
  },
  TIMEOUT,
)

test('packing leaves the repository unchanged', async () => {
  expect(await readFile(join(UNDOCK, 'package.json'), 'utf8')).toBe(manifest)
  expect(await readdir(UNDOCK)).not.toEqual(expect.arrayContaining(['dist']))
})
