import type { ChildProcess } from 'node:child_process'
import { mkdir, readdir, readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PACKAGES } from '../support/paths.ts'
import { makeProject, type TestProject } from '../support/project.ts'
import { endRunning, startUndock, undock } from '../support/undock.ts'

// A developer's work with a running backend.

const CONFIG = 'project_id = "day"\n[edge_runtime]\nenabled = false\n[api]\nmax_rows = 100\n'
let project: TestProject
let backend: ChildProcess
let said = ''

beforeAll(async () => {
  project = await makeProject({
    'config.toml': CONFIG,
    'migrations/20260101000000_notes.sql': `
      create table public.notes (id int primary key, body text);
      create table public.closed (id int primary key);
      alter table public.closed enable row level security;
      revoke all on public.closed from anon;
      create table public.quiet (id int primary key);
      alter table public.quiet enable row level security;
      insert into public.quiet values (1);
      grant select on public.quiet to anon;`,
  })
  backend = await startUndock(project)
  backend.stderr?.on('data', (chunk) => {
    said += chunk
  })
})
afterAll(async () => {
  await endRunning()
  await project?.remove()
})

const databaseUrl = () => `postgresql://postgres:postgres@127.0.0.1:${project.ports.SUPABASE_DB_PORT}/postgres`
const query = async (text: string) => {
  const client = new pg.Client(databaseUrl())
  await client.connect()
  await client.query(text).finally(() => client.end())
}

test('start and the log explain a refused read without changing its response', async () => {
  const { API_URL, PUBLISHABLE_KEY } = JSON.parse((await undock(project, 'status', '-o', 'json')).stdout)
  const ask = (table: string) => fetch(`${API_URL}/rest/v1/${table}`, { headers: { apikey: PUBLISHABLE_KEY } })
  expect(await (await ask('closed')).json()).toMatchObject({ code: '42501', hint: null })
  await expect
    .poll(() => said, { timeout: 10_000 })
    .toMatch(
      /\[rest\] GET \/rest\/v1\/closed: .*grant select on public\.closed to anon; .*create policy .*\(`undock explain [0-9a-f]{8}`\)/,
    )
  expect(await (await ask('quiet')).json()).toEqual([])
  await expect.poll(() => said, { timeout: 10_000 }).toMatch(/GET \/rest\/v1\/quiet: .*the table has no policy/)
  const id = /undock explain ([0-9a-f]{8})/.exec(said)?.[1] ?? ''
  expect((await undock(project, 'explain', id)).stdout).toContain('What would change this')
  expect((await undock(project, 'logs', 'rest')).stdout).toContain('GET /rest/v1/closed')
})

test('lists settings that changed since the start', async () => {
  expect((await undock(project, 'status')).stdout).not.toContain('Settings have changed')
  await project.write('config.toml', CONFIG.replace('100', '5'))
  expect((await undock(project, 'status')).stdout).toMatch(/Settings have changed since the start: api\.max_rows\. /)
  await project.write('config.toml', '[api]\nmax_rows = "x"')
  expect(await undock(project, 'config', 'validate')).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('supabase/config.toml:2: api.max_rows must be a whole number'),
  })
  await project.write('config.toml', CONFIG)
  expect((await undock(project, 'config', 'validate')).code).toBe(0)
})

test('renaming a column keeps its data', async () => {
  await query('alter table public.notes rename column body to text')
  const plain = await undock(project, 'db', 'diff')
  expect(plain.stdout).toMatch(/drop column "?body/i)
  expect(plain.stderr).toContain('public.notes.body=public.notes.text')
  // The installed CLI's engine handles diffs that need no such option.
  await mkdir(join(project.folder, 'node_modules'))
  await symlink(join(PACKAGES, 'supabase'), join(project.folder, 'node_modules/supabase'))
  const byCli = await undock(project, 'db', 'diff')
  expect(byCli.stderr).toContain("Compared by the project's Supabase CLI")
  expect(byCli.stdout).toMatch(/DROP COLUMN "body"/)
  const renamed = await undock(project, 'db', 'diff', '--rename', 'notes.body=notes.text', '-f', 'rename')
  expect(renamed.code).toBe(0)
  const [, file = ''] = (await readdir(join(project.folder, 'supabase/migrations'))).sort()
  expect(await readFile(join(project.folder, 'supabase/migrations', file), 'utf8')).toMatch(
    /rename column "?body"? to "?text/i,
  )
  expect(await undock(project, 'db', 'diff', '--rename', 'notes.no=notes.yes')).toMatchObject({ code: 2 })
})

test("opens the database with the machine's psql", async () => {
  const { code, stdout, stderr } = await undock(project, 'psql', '-Atc', "select 'a b', current_user")
  if (code === 2) expect(stderr).toMatch(/psql is not installed\. Install it with/)
  else expect({ code, stdout }).toEqual({ code: 0, stdout: 'a b|postgres\n' })
})
