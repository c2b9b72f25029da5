import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeProject, type TestProject } from '../support/project.ts'
import { undock } from '../support/undock.ts'

// Without the Supabase CLI; tests/nightly/hosted.test.ts has it.

let project: TestProject
beforeAll(async () => {
  project = await makeProject({
    'config.toml': 'project_id = "rehearsed"\n[auth]\nminimum_password_length = 9\n',
    'migrations/1_notes.sql': `create table public.notes (id int primary key, title text, legacy text);
      alter table public.notes enable row level security;
      insert into public.notes select n, 'title', 'old' from generate_series(1, 100) n;
      create table public.drafts (id int); insert into public.drafts values (1);`,
    'functions/hello/index.ts': "import '../_shared/x.ts'\nDeno.serve(() => new Response())",
    'functions/_shared/x.ts': '',
  })
})
afterAll(() => project.remove())

/** @returns the exit code, standard error, and the report of `-o json`. */
async function rehearse(...words: readonly string[]) {
  const withoutCli = { ...project, ports: { ...project.ports, PATH: '/usr/bin:/bin' } }
  const { code, stdout, stderr } = await undock(withoutCli, 'rehearse', '-o', 'json', ...words)
  return { code, stderr, report: stdout ? JSON.parse(stdout) : null }
}

test('a first deployment is rehearsed, and is where the next one begins', async () => {
  const { code, stderr, report } = await rehearse('--keep')
  expect({ code, problems: report?.problems }, stderr).toEqual({ code: 0, problems: [] })
  expect(report).toMatchObject({
    steps: [{ name: 'undock', fault: null }],
    migrations: [{ version: '1', name: 'notes', ms: expect.any(Number), locks: [] }],
    functions: [{ name: 'hello', fault: null }],
    changes: expect.arrayContaining([
      { part: 'settings', name: 'auth.minimum_password_length', before: '6', after: '9' },
      { part: 'functions', name: 'hello', before: null, after: 'verifies tokens' },
    ]),
  })
  expect(existsSync(join(project.folder, 'supabase/.undock/rehearsal'))).toBe(false)
})

test('the report has locks, losses, wider access and functions that do not boot', async () => {
  await project.write(
    'migrations/2_change.sql',
    `alter table public.notes drop column legacy; alter table public.notes alter column id type bigint;
     alter table public.notes rename title to subject; delete from public.notes where id > 90; drop table public.drafts;
     create policy everyone on public.notes for select using (true);`,
  )
  await project.write('migrations/3_own.sql', 'begin; lock table public.notes; commit;')
  await project.write('migrations/4_vacuum.sql', '-- Cleans up.\nvacuum public.notes;')
  await project.write('functions/hello/index.ts', "throw new Error('no key')")
  await project.write('secrets.env', 'TOKEN=hidden')
  const { code, stderr, report } = await rehearse('--env-file', join(project.folder, 'supabase/secrets.env'))
  expect(code, stderr).toBe(1)
  expect(report).toMatchObject({
    migrations: [
      {
        version: '2',
        locks: expect.arrayContaining([{ table: 'public.notes', mode: 'AccessExclusiveLock' }]),
        rewritten: ['public.notes'],
      },
      { version: '3', ms: null, locks: [] },
      { version: '4', ms: null, locks: [] },
    ],
    losses: expect.arrayContaining([
      { kind: 'rows', name: 'public.notes', count: 10 },
      { kind: 'column', name: 'public.notes.legacy', count: 100 },
      { kind: 'table', name: 'public.drafts', count: 1 },
    ]),
    changes: expect.arrayContaining([
      { part: 'access', name: 'anon public.notes', before: null, after: 's···' },
      { part: 'secrets', name: 'TOKEN', before: null, after: expect.stringMatching(/^secret \w{8}$/) },
    ]),
    functions: [{ name: 'hello', fault: expect.stringContaining('no key') }],
  })
  expect(JSON.stringify(report)).not.toContain('hidden')
})

test('a command deploys to data of a dump, and its failure is a problem', async () => {
  await project.write(
    'dump.sql',
    'create table public.people (id int);\ncopy public.people (id) from stdin;\n1\n2\n\\.\n',
  )
  await project.write(
    'deploy.mjs',
    "if (new URL(process.env.SUPABASE_DB_URL).port !== '5432' || !process.env.SUPABASE_PROFILE) process.exit(4); process.exit(3)",
  )
  const script = join(project.folder, 'supabase/deploy.mjs')
  const dump = join(project.folder, 'supabase/dump.sql')
  const { code, stderr, report } = await rehearse('--from', dump, '--', process.execPath, script)
  expect(code, stderr).toBe(1)
  expect(report).toMatchObject({ from: dump, steps: [{ fault: expect.stringContaining('exit code 3') }], losses: [] })
})

test('a rehearsal that cannot begin exits with 2', async () => {
  expect(await rehearse('--from', 'missing')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('There is no snapshot "missing"'),
  })
})
