import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { makeFiles } from '../../testing/files.ts'
import { runCli } from '../run-cli.ts'

test('undock db test reads files as psql does, and continues with the next when one stops', async () => {
  const workdir = await mkdtemp(join(tmpdir(), 'undock-db-test-'))
  onTestFinished(() => rm(workdir, { recursive: true, force: true }))
  await makeFiles(join(workdir, 'supabase'), {
    'config.toml': 'project_id = "tests"',
    'tests/broken_test.sql': `select plan(2); select ok(true, 'said before the error'); select nonsense;`,
    'tests/notes/variables_test.sql': `
      \\i shared/setup.psql
      \\set wanted 'a note'
      insert into notes (body) values (:'wanted') returning id as note \\gset
      select is((select body from notes where id = :note), :'wanted', 'the note is found by :note');
      select * from finish();
      rollback;`,
    'tests/shared/setup.psql': `begin; select plan(1); create table notes (id int generated always as identity, body text);`,
  })
  const told: string[] = []
  for (const stream of ['log', 'error'] as const) {
    const said = vi.spyOn(console, stream).mockImplementation((line) => void told.push(String(line)))
    onTestFinished(() => said.mockRestore())
  }
  vi.stubEnv('SUPABASE_DB_URL', undefined)
  onTestFinished(() => void vi.unstubAllEnvs())
  expect(await runCli(['db', 'test', '--workdir', workdir])).toBe(1)
  expect(told).toEqual(
    expect.arrayContaining([
      'ok 1 - said before the error',
      'not ok - tests/broken_test.sql stopped: column "nonsense" does not exist',
      'ok 1 - the note is found by :note',
    ]),
  )

  told.length = 0
  const fromHere = relative(process.cwd(), join(workdir, 'supabase/tests/shared/../broken_test.sql'))
  expect(await runCli(['db', 'test', fromHere, '--workdir', workdir])).toBe(1)
  expect(told).toContain('ok 1 - said before the error')
  expect(await runCli(['db', 'test', 'tests/nowhere', '--workdir', workdir])).toBe(1)
  expect(told).toContain('No test files: tests/nowhere.')
})
