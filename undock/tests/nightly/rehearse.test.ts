import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { commandOf } from '../support/paths.ts'
import { makeProject, type TestProject } from '../support/project.ts'
import { undock } from '../support/undock.ts'

// The official CLI deploys to the copy; tests/acceptance/rehearse.test.ts does without it.

const REF = 'abcdefghijklmnopqrst'
let project: TestProject
beforeAll(async () => {
  project = await makeProject({
    'config.toml': 'project_id = "rehearsed"\n[auth]\nminimum_password_length = 9\n',
    '.temp/project-ref': REF,
    'migrations/20250101000000_notes.sql':
      "create table public.notes (id int primary key, text text); insert into public.notes values (1, 'a'), (2, null);",
    'functions/hello/index.ts': 'Deno.serve(() => new Response(Deno.env.get("GREETING")))',
    'secrets.env': 'GREETING=hello',
  })
})
afterAll(() => project.remove())

async function rehearse(...words: readonly string[]) {
  const PATH = `${dirname(commandOf('supabase'))}:${process.env.PATH}`
  const withCli = { ...project, ports: { PATH, HOME: project.folder, SUPABASE_TELEMETRY_DISABLED: '1' } }
  const { code, stdout, stderr } = await undock(withCli, 'rehearse', '-o', 'json', ...words)
  return { code, stderr, report: JSON.parse(stdout || 'null') }
}

test('the CLI deploys everything to the copy', async () => {
  const secrets = join(project.folder, 'supabase/secrets.env')
  const { code, stderr, report } = await rehearse('--keep', '--env-file', secrets)
  expect({ code, problems: report?.problems }, stderr).toEqual({ code: 0, problems: [] })
  expect(report.steps).toEqual([
    { name: 'db push --linked', fault: null },
    { name: 'config push', fault: null },
    { name: 'functions deploy --use-api', fault: null },
    { name: `secrets set --env-file ${secrets}`, fault: null },
  ])
  expect(report.changes).toContainEqual(expect.objectContaining({ part: 'secrets', name: 'GREETING', before: null }))
})

test('migrations of the CLI are reported with locks, time and losses', async () => {
  await project.write(
    'migrations/20250102000000_drop.sql',
    'alter table public.notes drop column text; alter table public.notes alter column id type bigint;',
  )
  await project.write('migrations/20250103000000_index.sql', 'create index concurrently notes_id on public.notes (id);')
  const { code, stderr, report } = await rehearse()
  expect(code, stderr).toBe(1)
  expect(report).toMatchObject({
    migrations: [
      {
        version: '20250102000000',
        ms: expect.any(Number),
        locks: [{ table: 'public.notes', mode: 'AccessExclusiveLock' }],
        rewritten: ['public.notes'],
      },
      { version: '20250103000000', ms: null },
    ],
    losses: [{ kind: 'column', name: 'public.notes.text', count: 1 }],
  })
})

test('a migration that fails on the data is a problem, and the next command is not run', async () => {
  await project.write('migrations/20250102000000_drop.sql', 'alter table public.notes alter column text set not null;')
  const { code, report } = await rehearse()
  expect(code).toBe(1)
  expect(report).toMatchObject({
    steps: [{ name: 'db push --linked', fault: expect.stringContaining('exit code 1') }],
    migrations: [],
    losses: [],
  })
})

test('a script that links the project links the copy', async () => {
  const link = `${commandOf('supabase')} link --project-ref ${'z'.repeat(20)} --yes`
  const { code, stderr, report } = await rehearse('--project-ref', 'z'.repeat(20), '--', 'sh', '-c', link)
  expect({ code, steps: report?.steps.length }, stderr).toEqual({ code: 0, steps: 1 })
  expect(await readFile(join(project.folder, 'supabase/.temp/project-ref'), 'utf8')).toBe(REF)
})
