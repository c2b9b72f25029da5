import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { runCli } from '../../src/cli/run-cli.ts'
import type { Finding } from '../../src/project-tools/advisors/index.ts'
import { type Stack, startStack } from '../../src/runtime/stack/stack.ts'
import { makeProject, type TestProject } from '../support/project.ts'

const run = promisify(execFile)
const CLI = join(dirname(createRequire(import.meta.url).resolve('supabase/package.json')), 'dist/supabase.js')

let project: TestProject
let printed = ''
let told = ''
beforeAll(async () => {
  project = await makeProject({
    'config.toml': 'project_id = "advisors"\n[edge_runtime]\nenabled = false\n',
    'migrations/1_faults.sql': `
      create table public.open (id int primary key, password text); grant select on public.open to anon;
      create table public.notes (id int primary key, parent int references public.notes, owner uuid);
      alter table public.notes enable row level security;
      create policy mine on public.notes for all to authenticated using (owner = auth.uid());
      create policy all_of_them on public.notes for select to authenticated using (true);
      create view public.people as select id, email from auth.users; grant select on public.people to authenticated;
      create function public.total() returns bigint language sql as 'select count(*) from public.notes';`,
  })
})
afterAll(() => project.remove())
beforeEach(() => {
  printed = told = ''
  vi.spyOn(console, 'log').mockImplementation((text) => {
    printed += `${text}\n`
  })
  vi.spyOn(console, 'error').mockImplementation((text) => {
    told += `${text}\n`
  })
})
afterEach(() => {
  vi.restoreAllMocks()
})

const advisors = (...words: string[]) => runCli(['advisors', '--workdir', project.folder, ...words])
const findings = async (...words: string[]): Promise<Finding[]> => {
  printed = ''
  await advisors('--output', 'json', ...words)
  return JSON.parse(printed)
}

describe('on PostgreSQL', () => {
  let stack: Stack
  beforeAll(async () => {
    stack = await startStack({ workdir: project.folder, ports: 'free', state: 'memory' })
  })
  afterAll(() => stack.stop())

  test('finds what the Supabase CLI finds, with the same keys', async () => {
    const words = ['db', 'advisors', '--type', 'all', '--level', 'info', '-o', 'json', `--remote=${stack.dbUrl}`]
    const env = { ...process.env, HOME: project.folder, SUPABASE_TELEMETRY_DISABLED: '1', DO_NOT_TRACK: '1' }
    const { stdout } = await run(process.execPath, [CLI, ...words], { cwd: project.folder, env })
    // undock's own findings leave out its own schema.
    const theirs = (JSON.parse(stdout) as Finding[]).filter(({ cache_key }) => !cache_key.includes('__undock_'))
    const ours = await findings('--level', 'info', '--db-url', stack.dbUrl)
    const identity = ({ cache_key, level, categories, name }: Finding) => ({ cache_key, level, categories, name })
    expect(theirs.length).toBeGreaterThan(5)
    expect(ours.map(identity)).toEqual(expect.arrayContaining(theirs.map(identity)))
    const [mine] = ours
    expect(Object.keys(mine ?? {})).toEqual(expect.arrayContaining(Object.keys(theirs[0] ?? {})))
    // Lints that the CLI's version doesn't have yet.
    const known = new Set(theirs.map(({ cache_key }) => cache_key))
    const more = new Set(ours.filter(({ cache_key }) => !known.has(cache_key)).map(({ name }) => name))
    expect([...more].filter((name) => !/^(pg_graphql|anon_sec|authenticated_sec|public_bucket)/.test(name))).toEqual([])
  })
})

test('prints level, object, sentence and SQL, and exits with code 1 if asked to', async () => {
  expect(await advisors('--type', 'security')).toBe(0)
  expect(printed).toMatch(/^ERROR +rls_disabled_in_public +public\.open +The table public\.open is exposed/m)
  expect(printed).toContain('alter view public.people set (security_invoker = on);')
  expect(printed).not.toContain('unindexed_foreign_keys')
  expect(await advisors('--fail-on', 'error')).toBe(1)
  const levels = new Set((await findings('--level', 'error')).map(({ level }) => level))
  expect([...levels]).toEqual(['ERROR'])
  expect(await advisors('--type', 'performance', '--level', 'error', '--fail-on', 'error')).toBe(0)
  expect(told).toContain('No issues found')
  expect(await advisors('--type', 'speed')).toBe(2)
})
