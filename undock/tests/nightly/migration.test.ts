import { execFileSync } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeProject, type TestProject } from '../support/project.ts'
import { endRunning, undock } from '../support/undock.ts'

// Two developers' migrations meet.

let project: TestProject
beforeEach(async () => {
  project = await makeProject({
    'config.toml': 'project_id = "order"\n[edge_runtime]\nenabled = false\n[storage]\nenabled = false\n',
    'migrations/20260101000000_notes.sql': 'create table public.notes (id int primary key);',
    'migrations/20260103000000_tags.sql': 'create table public.tags (id int primary key);',
  })
})
afterEach(async () => {
  await undock(project, 'stop')
  await endRunning()
  await project.remove()
})

const files = async () => (await readdir(join(project.folder, 'supabase/migrations'))).sort()
const said = async (...words: string[]) => {
  const { code, stdout, stderr } = await undock(project, ...words)
  return { code, text: stdout + stderr }
}

async function query(text: string): Promise<unknown[]> {
  const client = new pg.Client(`postgresql://postgres:postgres@127.0.0.1:${project.ports.SUPABASE_DB_PORT}/postgres`)
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}
const tables = async () =>
  (
    await query("select relname from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1")
  ).map((row) => Object.values(row as object)[0])

test('names, renumbers, applies and reverts an out-of-order migration', async () => {
  expect((await said('start', '--detach')).code).toBe(0)
  await project.write('migrations/20260102000000_early.sql', 'create table public.early (id int);')
  await project.write('migrations/20260104000000_broken.sql', 'create table public.broken (id nonsense);')
  for (const words of [['status'], ['doctor']])
    expect((await said(...words)).text).toMatch(/20260102000000_early\.sql is out of order: .*`undock migration fix`/)
  expect((await said('doctor')).code).toBe(1)
  expect(await said('migration', 'up')).toEqual({ code: 2, text: expect.stringContaining('`undock migration fix`') })

  expect(await said('migration', 'fix')).toEqual({
    code: 0,
    text: expect.stringContaining('20260102000000_early.sql is now supabase/migrations/20260103000001_early.sql'),
  })
  const failed = await said('migration', 'up')
  expect(failed.code).toBe(1)
  expect(failed.text).toContain('20260104000000_broken.sql:1: type "nonsense" does not exist')
  expect(failed.text).toContain('Applied supabase/migrations/20260103000001_early.sql')
  expect(await tables()).toEqual(['early', 'notes', 'tags'])
  await query('insert into public.notes values (1)')

  expect(await said('migration', 'undo')).toEqual({ code: 2, text: expect.stringContaining('Confirm with --yes') })
  expect((await said('migration', 'undo', '--yes')).text).toContain('with the data from before `migration up`')
  expect(await tables()).toEqual(['notes', 'tags'])
  expect(await query('select from public.notes')).toEqual([])
  expect((await said('status')).text).toMatch(/2 pending migration\(s\).*early.*broken.*\n.*`undock migration up`/)
  expect((await said('migration', 'undo', '--yes')).text).toContain('There is no snapshot from before `migration up`')

  await project.write(
    'migrations/20260104000000_broken.sql',
    'create table public.whole (id int);\nlock table public.whole;',
  )
  expect(await said('migration', 'up')).toEqual({
    code: 0,
    text: expect.stringContaining('warning: supabase/migrations/20260104000000_broken.sql:2: works here only'),
  })
  expect(await tables()).toEqual(['early', 'notes', 'tags', 'whole'])
  expect(await said('migration', 'up')).toEqual({
    code: 0,
    text: expect.stringContaining('All migrations are applied'),
  })
})

test('of two files with one version, the applied or shared one keeps it, also without a running backend', async () => {
  const git = (...words: string[]) => execFileSync('git', ['-C', project.folder, ...words], { stdio: 'pipe' })
  await project.write('migrations/20260103000000_shared.sql', 'create table public.shared (id int);')
  git('init', '--quiet')
  git('add', 'supabase/migrations/20260103000000_tags.sql')
  expect((await said('start', '--detach')).text).toMatch(/has the same version as .*`undock migration fix`/)
  expect((await said('doctor')).text).toContain('`undock migration fix` gives the others new versions')
  expect((await said('migration', 'fix')).code).toBe(0)
  const fixed = await files()
  expect(fixed.slice(0, 2)).toEqual(['20260101000000_notes.sql', '20260103000000_tags.sql'])
  expect(fixed[2]).toMatch(/^\d{14}_shared\.sql$/)

  // Starts a backend for the command if none is running.
  expect((await said('start', '--detach')).code).toBe(0)
  expect((await said('stop')).code).toBe(0)
  await project.write('migrations/29990101000000_later.sql', 'create table public.later (id int);')
  expect(await said('migration', 'up')).toEqual({ code: 0, text: expect.stringContaining('29990101000000_later.sql') })
  expect((await said('start', '--detach')).code).toBe(0)
  expect(await tables()).toEqual(['later', 'notes', 'shared', 'tags'])
  await project.write('migrations/20260101000000_notes.sql', 'create table public.notes (id text);')
  await project.write('migrations/29990101000000_other.sql', 'create table public.other (id int);')
  const fix = await said('migration', 'fix')
  expect(fix).toEqual({
    code: 1,
    text: expect.stringContaining('20260101000000_notes.sql was edited after it was applied'),
  })
  expect(fix.text).toContain('29990101000000_other.sql is now supabase/migrations/29990101000001_other.sql')
  expect(await readFile(join(project.folder, 'supabase/migrations/20260101000000_notes.sql'), 'utf8')).toContain('text')
})
