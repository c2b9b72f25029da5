import { once } from 'node:events'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type PackedProject, packedProject } from '../support/packed.ts'

/** Milliseconds to install a package and create Deno and a first cluster on a busy machine. */
const TIMEOUT = 600_000

const PORTS = `
[api]
port = 9211
[db]
port = 9212
shadow_port = 9213
[studio]
port = 9214
[local_smtp]
port = 9215
[analytics]
enabled = false
`

let project: PackedProject

beforeAll(async () => {
  project = await packedProject()
  await project.write({
    'supabase/config.toml': `project_id = "packed"\n${PORTS}`,
    'supabase/migrations/20260102000000_notes.sql':
      'create extension vector with schema extensions; create table public.notes (id int primary key);',
    'supabase/functions/bad/index.ts': `import './missing.ts'`,
  })
}, TIMEOUT)
afterAll(() => project?.remove())
afterEach(() => project?.undock('stop'), TIMEOUT)

const lines = (text: string): string[] => text.split('\n').filter(Boolean)

/** Runs `undock start` until it has printed all of these, then stops it. */
async function startHere(until: readonly RegExp[]): Promise<string> {
  const child = project.launch('start')
  let said = ''
  await new Promise<void>((resolve, reject) => {
    child.stderr?.on('data', (chunk) => {
      said += chunk
      if (until.every((one) => one.test(said))) resolve()
    })
    child.once('exit', () => reject(new Error(said)))
  })
  child.kill('SIGINT')
  await once(child, 'exit')
  return said
}

test(
  'without compiled extensions, start says which engine it uses for pgvector, why, and what would change it',
  async () => {
    const { code, stdout, stderr } = await project.undock('start', '--detach')
    expect(code, stderr).toBe(0)
    const reason = 'the native engine has no vector on this machine'
    const whole = new RegExp(
      `PGlite runs this project's database, because ${reason}\\. It is a single session .* npm package ` +
        `@undock/postgres-17-${process.platform}-${process.arch}, .*postgresql-17-pgvector`,
    )
    expect(stderr).toMatch(whole)
    expect(stdout).toContain(`Engine          PGlite, because ${reason}`)
    const status = await project.undock('status')
    expect(status.stdout).toMatch(whole)
    expect(JSON.parse((await project.undock('status', '-o', 'json')).stdout)).toMatchObject({
      DB_ENGINE: 'pglite',
      DB_ENGINE_REASON: reason,
      DB_ENGINE_REMEDY: expect.stringContaining('postgresql-17-pgvector'),
    })
    expect((await project.undock('status', '-o', 'env')).stdout).toContain('DB_ENGINE="pglite"')
    expect((await project.undock('doctor')).stdout).toMatch(whole)
  },
  TIMEOUT,
)

test(
  'start --detach prints the same as in the foreground, with its URLs on standard output',
  async () => {
    await project.write({
      'supabase/migrations/20260101000000_early.sql': 'select 1;',
      'supabase/migrations/20260102000000_notes.sql':
        'create extension vector with schema extensions; create table public.notes (id int primary key, body text);',
    })
    const here = await startHere([/cannot boot.*\n/, /out of order.*\n/])
    for (const words of [
      ['start', '--detach'],
      ['supabase', 'start'],
    ]) {
      const { code, stdout, stderr } = await project.undock(...words)
      expect(code, stderr).toBe(0)
      // Times and sizes differ.
      const isSteady = (line: string): boolean =>
        !/Ready in| · |Running in the background|Stopping|Ending as soon/.test(line)
      expect(lines(stdout)).toContain('    Project URL     http://127.0.0.1:9211')
      const background = lines(stdout + stderr).filter(isSteady)
      expect(background.toSorted()).toEqual(lines(here).filter(isSteady).toSorted())
      expect(stderr).toContain('1 pending migration(s)')
      expect(stderr).toContain('20260101000000_early.sql is out of order')
      expect(stderr).toContain('20260102000000_notes.sql was edited after it was applied')
      expect(stderr).toMatch(/functions: bad cannot boot: .*Module not found/)
      const status = await project.undock('status')
      expect(status.stdout).toContain('20260102000000_notes.sql was edited after it was applied')
      expect(status.stdout).toContain('The function bad cannot boot')
      const doctor = await project.undock('doctor')
      expect(doctor.code).toBe(1)
      expect(doctor.stdout).toContain('✗ supabase/migrations/20260102000000_notes.sql was edited')
      await project.undock('stop')
    }
  },
  TIMEOUT,
)

test(
  'a reset applies the edited migration',
  async () => {
    await project.undock('start', '--detach')
    expect(await project.undock('requests', '--failed')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'No matching requests since the backend started.\n',
    })
    expect((await project.undock('reset')).code).toBe(0)
    const { stdout } = await project.undock('status')
    expect(stdout).not.toContain('edited after it was applied')
  },
  TIMEOUT,
)

/** Nothing listens here. */
const NO_REGISTRY = { npm_config_registry: 'http://127.0.0.1:9/' }

test(
  'without a network, start names missing downloads and what to do',
  async () => {
    const words = ['run', '--', process.execPath, '-e', ASK_MCP]
    const cache = { UNDOCK_CACHE_DIR: `${project.folder}/empty` }
    const own = `${project.folder}/node_modules/.bin/undock`
    const nothing = await project.run(own, words, { ...NO_REGISTRY, ...cache })
    expect(nothing.code).toBe(1)
    expect(nothing.stderr).toMatch(/^npm could not fetch @electric-sql\/pglite@/m)
    expect(nothing.stderr).not.toMatch(/^ +at /m)
    const ahead = ['prefetch', 'pglite', 'postgres-17']
    expect((await project.run(own, ahead, cache)).code).toBe(0)
    expect((await project.run(own, ahead, { ...NO_REGISTRY, ...cache })).code).toBe(0)
    const env = { ...NO_REGISTRY, ...cache, SUPABASE_DB_MAJOR_VERSION: '15' }
    const { code, stdout, stderr } = await project.run(own, words, env)
    expect(code, stderr).toBe(0)
    expect(stderr).toContain('fetching PostgreSQL 15 from the npm registry')
    expect(stderr).toMatch(/PGlite runs .* npm could not fetch .*use db\.major_version = 17/)
    expect(JSON.parse(stdout)).toEqual([
      [503, expect.stringContaining('npm could not fetch @supabase/mcp-server-supabase')],
      [503, expect.stringContaining('Retrying now: call again in a moment')],
    ])
  },
  TIMEOUT,
)

const ASK_MCP = `
  const ask = async () => {
    const answer = await fetch(process.env.SUPABASE_URL + '/mcp', { method: 'POST', body: '{}' })
    return [answer.status, (await answer.json()).error.message]
  }
  const first = await ask()
  console.log(JSON.stringify([first, await ask()]))`
