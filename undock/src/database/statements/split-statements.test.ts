import { expect, test } from 'vitest'
import { createdExtension, splitStatements, withoutComments } from './split-statements.ts'

const texts = (script: string) => splitStatements(script).map(({ text }) => text)

test.each([
  ['plain statements', 'select 1; select 2;', ['select 1', 'select 2']],
  ['a last statement without semicolon', 'select 1;\nselect 2', ['select 1', 'select 2']],
  ['empty statements', ';; ; select 1;;', ['select 1']],
  ['only comments', '-- a;\n/* b; /* c; */ d; */', []],
  ["a comment that ends with an old Mac's line", 'select 1 -- a;\rselect 2;', ['select 1 -- a;\rselect 2']],
  ['a comment before such a line', '-- a\rselect 1; -- b\rselect 2', ['-- a\rselect 1', '-- b\rselect 2']],
  ['strings and names', `select ';', "a;b", 'it''s;'; select 2`, [`select ';', "a;b", 'it''s;'`, 'select 2']],
  ['a backslash in a plain string', `select '\\'; select 2`, [`select '\\'`, 'select 2']],
  ['an escape string', `select E'\\';'; select 2`, [`select E'\\';'`, 'select 2']],
  ['dollar quotes', 'do $$ begin x; end $$; select 2', ['do $$ begin x; end $$', 'select 2']],
  ['tagged dollar quotes', 'do $a$ $$ ; $$ $a$; select 2', ['do $a$ $$ ; $$ $a$', 'select 2']],
  ['a parameter is not a dollar quote', 'prepare p as select $1; select $2', ['prepare p as select $1', 'select $2']],
  ['a dollar inside a name', 'select a$b$c; select 2', ['select a$b$c', 'select 2']],
  [
    'begin atomic',
    'create function f() returns int begin atomic select case when true then 1 end; select 2; end; select 3',
    ['create function f() returns int begin atomic select case when true then 1 end; select 2; end', 'select 3'],
  ],
  [
    "a rule's commands",
    'create rule r as on insert to t do also (select 1; select (2)); select 3',
    ['create rule r as on insert to t do also (select 1; select (2))', 'select 3'],
  ],
  ['transactions', 'begin; select 1; commit;', ['begin', 'select 1', 'commit']],
  ['an unclosed string', `select 'a; b`, [`select 'a; b`]],
])('splits %s', (_name, script, expected) => {
  expect(texts(script)).toEqual(expected)
})

test("keeps a COPY statement's rows and drops psql commands", () => {
  const script = '\\restrict abc\n-- a\ncopy t (a, b) from stdin;\n1\t;\n2\t\\N\n\\.\n\nselect 1;\n\\unrestrict abc\n'
  expect(splitStatements(script)).toEqual([
    { text: '-- a\ncopy t (a, b) from stdin', line: 2, rows: '1\t;\n2\t\\N\n' },
    { text: 'select 1', line: 8 },
  ])
})

test('keeps psql commands that have an effect, so Postgres rejects them', () => {
  expect(texts('\\i other.sql\nselect 1')).toEqual(['\\i other.sql\nselect 1'])
})

test('keeps comments with the following statement and counts lines', () => {
  expect(splitStatements('-- first\nselect 1;\n\n/* second */\nselect\n 2;\n')).toEqual([
    { text: '-- first\nselect 1', line: 1 },
    { text: '/* second */\nselect\n 2', line: 4 },
  ])
})

test('strips nested and numerous comments before a statement', () => {
  expect(withoutComments('-- a\n/* b /* c */ d */\n select 1 -- e')).toBe('select 1 -- e')
  expect(withoutComments('-- a')).toBe('')
  const many = `${'/**//* a */--\n'.repeat(20_000)}`
  expect(createdExtension(withoutComments(`${many}create extension if not exists "uuid-ossp"`))).toBe('uuid-ossp')
  expect(createdExtension(withoutComments(`${many}select 1`))).toBeUndefined()
})
