import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { readPsqlFile } from '../../database/statements/psql-script.ts'
import { makeFiles } from '../../testing/files.ts'
import { runCli } from '../run-cli.ts'
import { count } from './test.ts'

test('undock db test runs files like psql and continues after one fails', async () => {
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
    'tests/rows_test.sql': `
      begin;
      select plan(3);
      create table notes (id int, body text);
      copy notes from stdin;
1\ta;b
2\t\\N
\\.
      select is(count(body)::int, 1) from notes;
      select format('select pass(%L)', 'note ' || id) from notes \\gexec
      select * from finish();
      rollback;`,
    'tests/.unfinished/hidden_test.sql': `select plan(1); select ok(true, 'in a hidden folder');`,
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
  expect(told.at(-1)).toBe('Result: FAIL')
  expect(told.at(-2)).toContain(
    'tests/broken_test.sql\n  Failed test: tests/broken_test.sql stopped: column "nonsense"',
  )
  expect(told).toEqual(
    expect.arrayContaining([
      'ok 1 - said before the error',
      'not ok - tests/broken_test.sql stopped: column "nonsense" does not exist',
      'ok 1 - the note is found by :note',
      'ok 3 - note 2',
      'ok 1 - in a hidden folder',
    ]),
  )

  told.length = 0
  const fromHere = relative(process.cwd(), join(workdir, 'supabase/tests/shared/../broken_test.sql'))
  expect(await runCli(['db', 'test', fromHere, '--workdir', workdir])).toBe(1)
  expect(told).toContain('ok 1 - said before the error')
  expect(await runCli(['db', 'test', 'tests/nowhere', '--workdir', workdir])).toBe(1)
  expect(told).toContain('No test files found: tests/nowhere.')

  // In the order given. \\i refers to the first folder.
  told.length = 0
  await makeFiles(join(workdir, 'supabase'), {
    'others/b/included_test.sql': 'select plan(1); \\i shared.psql',
    'others/shared.psql': "select ok(true, 'included');",
    'others/a.sql': 'select plan(1); select ok(true);',
  })
  expect(await runCli(['db', 'test', 'others/b', '--workdir', workdir])).toBe(1)
  expect(await runCli(['db', 'test', 'others', 'others/b', '--workdir', workdir])).toBe(0)
  expect(told).toContain('ok 1 - included')
  told.length = 0
  const reversed = ['others/b/included_test.sql', 'others/a.sql']
  await runCli(['db', 'test', ...reversed, '--workdir', workdir])
  expect(told.filter((line) => line.startsWith('# others'))).toEqual(reversed.map((path) => `# ${path}`))
})

test.each([
  ['fewer tests than planned', '1..3|ok 1 - one|ok 2 - two', 2, ['Bad plan. You planned 3 tests but ran 2.']],
  ['more tests than planned', '1..1|ok 1 - one|ok 2 - two', 2, ['Bad plan. You planned 1 tests but ran 2.']],
  ['a failing todo test', '1..2|not ok 1 - is todo # TODO later|# Failed (TODO) test 1|ok 2 # SKIP no', 2, []],
  ['a failing test', '1..2|not ok 1 - no|ok 2 - yes', 1, ['Failed test: 1']],
  ['two failing tests', '1..2|not ok 1|not ok 2', 0, ['Failed tests: 1, 2']],
  ['no plan', 'ok 1 - one', 1, ['No plan found in TAP output']],
  ['a plan without tests', '1..0', 0, []],
  ['a test repeated after a rollback', '1..2|ok 1|ok 1', 2, ['Tests out of sequence. Found (1) but expected (2)']],
  ['a file with two plans', '1..1|ok 1|1..1|ok 1', 2, ['More than one plan found in TAP output']],
])('%s', (_what, tap, passed, faults) => expect(count(tap.split('|'))).toMatchObject({ passed, faults }))

test('evaluates the conditions of \\if branches', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'undock-psql-if-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const path = join(folder, 'a.sql')
  const read = async (script: string) => {
    await writeFile(path, script)
    return [...readPsqlFile({ path, folder, variables: new Map([['yes', 'on']]) })].map(({ text }) => text)
  }
  const script = 'a;\n\\if :yes\nb;\n\\if false\nc;\n\\else\nd;\n\\endif\n\\elif true\ne;\n\\else\nf;\n\\endif\ng;'
  expect(await read(script)).toEqual(['a', 'b', 'd', 'g'])
  expect(await read('\\if 0\n\\i missing.sql\n\\elif t\na;\n\\endif')).toEqual(['a'])
  await expect(read('\\if maybe\n\\endif')).rejects.toThrow('needs a boolean')
  await expect(read('\\if true\na;')).rejects.toThrow('has no \\endif')
})
