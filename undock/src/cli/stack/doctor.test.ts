import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { makeFiles } from '../../testing/files.ts'
import { runCli } from '../run-cli.ts'

async function doctor(files: Readonly<Record<string, string>>, ...words: string[]): Promise<[number, string]> {
  const workdir = await mkdtemp(join(tmpdir(), 'undock-doctor-'))
  onTestFinished(() => rm(workdir, { recursive: true, force: true }))
  await makeFiles(join(workdir, 'supabase'), files)
  const said = vi.spyOn(console, 'log').mockImplementation(() => undefined)
  onTestFinished(() => said.mockRestore())
  const code = await runCli(['doctor', '--workdir', workdir, ...words])
  return [code, said.mock.calls.flat().join('\n')]
}

/** Returns a port that nothing uses now. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise((closed) => server.close(closed))
  return port
}

// Free ports, so that a stack on the default ones doesn't change the report.
const CONFIG = `project_id = "doctor"
[api]
port = ${await freePort()}
[db]
port = ${await freePort()}
[studio]
enabled = false
[local_smtp]
enabled = false
`

test('passes a project without problems', async () => {
  const [code, said] = await doctor({ 'config.toml': CONFIG, 'migrations/1_a.sql': 'create table a (id int);' })
  expect(said).toContain(`Node ${process.versions.node}`)
  expect(said).toMatch(/PostgreSQL 17 runs the database|PGlite runs this project's database, because/)
  expect(said).toContain('No problems found.')
  expect(code).toBe(0)
})

test('reports migrations with the same version', async () => {
  const [code, said] = await doctor({ 'config.toml': CONFIG, 'migrations/1_a.sql': '', 'migrations/1_b.sql': '' })
  expect(said).toContain('✗ supabase/migrations/1_a.sql and supabase/migrations/1_b.sql have the same version')
  expect(code).toBe(1)
})

test('accepts a linked project with another Data API version', async () => {
  const [code, said] = await doctor({ 'config.toml': CONFIG, '.temp/rest-version': 'v14.12' })
  expect(said).toContain('the linked project runs PostgREST 14.12')
  expect(code).toBe(0)
})

test('reports what would fail on a hosted project and exits with an error', async () => {
  const files = {
    'config.toml': CONFIG,
    'migrations/1_a.sql': 'create table a (id int);\nalter table storage.objects enable row level security;',
    'functions/bad/index.ts': "import './missing.ts'",
  }
  const [code, said] = await doctor(files)
  expect(said).toContain('✗ supabase/migrations/1_a.sql:2: the table storage.objects belongs to the platform')
  expect(said).toContain('✗ bad cannot boot: Module not found')
  expect(said).toContain('2 problems found.')
  expect(code).toBe(1)
})
