import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { makeFiles } from '../../testing/files.ts'
import { readPsqlFile } from './psql-script.ts'

async function read(files: Readonly<Record<string, string>>, variables = new Map<string, string>()) {
  const folder = await mkdtemp(join(tmpdir(), 'undock-psql-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await makeFiles(folder, files)
  return [...readPsqlFile({ path: join(folder, 'in', 'test.sql'), folder, variables })].map(({ text, gset }) =>
    gset === null ? text : [text, gset],
  )
}

test.each([
  ['statements end at their semicolons', `select 1; -- ;\nselect ';' , $$;$$;\n`, ['select 1', `select ';' , $$;$$`]],
  [
    "semicolons in an SQL function's body don't end it",
    'create function f() returns int begin atomic select 1; end; select 2',
    ['create function f() returns int begin atomic select 1; end', 'select 2'],
  ],
  [
    'variables are replaced in each syntax',
    `\\set n 3\n\\set w 'it''s'\nselect :n, :'w', :"n";`,
    [`select 3, 'it''s', "3"`],
  ],
  [
    'strings, casts and unknown names stay',
    `\\set n 3\nselect ':n', 1::n, a[1:2], :m;`,
    [`select ':n', 1::n, a[1:2], :m`],
  ],
  ['a variable may contain another', `\\set a 1\n\\set b :a 2\nselect :b;`, ['select 12']],
  ['\\unset', `\\set a 1\n\\unset a\nselect :a;`, ['select :a']],
  [
    '\\gset ends a statement',
    `select 1 as a \\gset\nselect 2 as b\n\\gset my_\nselect 3;`,
    [['select 1 as a', ''], ['select 2 as b', 'my_'], 'select 3'],
  ],
  ['\\g and \\gx end a statement', 'select 1 \\g\nselect 2 \\gx\nselect 3', ['select 1', 'select 2', 'select 3']],
  ['\\q ends the file', 'select 1;\n\\q\nselect 2;', ['select 1']],
  ['a byte order mark and carriage returns', '\uFEFFselect 1;\r\n\\o x\r\nselect 2;\r\n', ['select 1', 'select 2']],
  ['output commands are skipped', `\\pset format unaligned\n\\t on\n\\echo hello; world\nselect 1;`, ['select 1']],
])('%s', async (_name, script, statements) => {
  expect(await read({ 'in/test.sql': script })).toEqual(statements)
})

test('\\getenv reads a variable of the environment', async () => {
  vi.stubEnv('UNDOCK_TEST_NAME', "it's")
  onTestFinished(() => void vi.unstubAllEnvs())
  expect(await read({ 'in/test.sql': `\\getenv name UNDOCK_TEST_NAME\nselect :'name';` })).toEqual([`select 'it''s'`])
})

test('a result can set variables for the next statement', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'undock-psql-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await makeFiles(folder, { 'test.sql': `select 7 as id \\gset\nselect :'id';` })
  const variables = new Map<string, string>()
  const statements = readPsqlFile({ path: join(folder, 'test.sql'), folder, variables })
  expect(statements.next().value).toEqual({ text: 'select 7 as id', gset: '' })
  variables.set('id', '7')
  expect(statements.next().value).toEqual({ text: `select '7'`, gset: null })
})

test('\\i includes a file relative to the folder, \\ir relative to the file', async () => {
  const files = {
    'in/test.sql': `\\i a.sql\n\\ir a.sql\nselect 'test';`,
    'a.sql': `select 'folder'`,
    'in/a.sql': `\\ir deep/b.sql\nselect 'beside'`,
    'in/deep/b.sql': `select 'deep';`,
  }
  expect(await read(files)).toEqual([`select 'folder'`, `select 'deep'`, `select 'beside'`, `select 'test'`])
})

test.each([
  ['a file that includes itself', `\\ir test.sql`, 'includes itself'],
  ['a file that does not exist', `\\i nowhere.sql`, 'ENOENT'],
  ['a program', `\\! ls`, 'undock does not know the psql command \\!'],
  ['another database', `\\connect other`, 'undock does not know the psql command \\connect'],
])('rejects %s', async (_name, script, message) => {
  await expect(read({ 'in/test.sql': script })).rejects.toThrow(message)
})
