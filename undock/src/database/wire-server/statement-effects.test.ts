import { expect, test } from 'vitest'
import { deallocatedName, readEffects, resetsAuthorization } from './statement-effects.ts'

test.each([
  ['copy t from stdin', 'alone'],
  ['COPY public.t (a, b) FROM STDIN WITH (format csv);', 'alone'],
  ['/* x */ copy t\nfrom stdin -- y', 'alone'],
  ['select 1; copy t from stdin', 'among others'],
  ['copy t to stdout', 'none'],
  ["select 'copy t from stdin'", 'none'],
  ["select $$;copy t from stdin$$, '; copy t from stdin'", 'none'],
  ['-- copy t from stdin\nselect 1', 'none'],
])('COPY FROM STDIN in %j: %s', (text, found) => expect(readEffects(text).copyIn).toBe(found))

test.each([
  ['set x = 1', true],
  ['begin; SET LOCAL role anon', true],
  ['/* c */ reset all', true],
  ["select set_config('a.b', 'c', false)", true],
  ['alter role x set y = 1', true],
  ['do $$ begin end $$', true],
  ['update t set x = 1', false],
  ['select settled from resets', false],
  ["select ';set x = 1'", false],
])('%j may change settings: %s', (text, changes) => expect(readEffects(text).changesSettings).toBe(changes))

test.each([
  ["set app.tenant = 'x'", ['app.tenant']],
  ["set session app.tenant to 'x'; select set_config('app.user', '1', false)", ['app.tenant', 'app.user']],
  ['set search_path = a', []],
])('%j makes the settings %j', (text, names) => expect(readEffects(text).ownSettings).toEqual(names))

test.each([
  ['listen Foo; LISTEN "Foo ""bar"""', ['foo', 'Foo "bar"'], []],
  ['unlisten foo; unlisten "Bar"; unlisten *', [], ['foo', 'Bar', '*']],
  ['discard all', [], ['*']],
  ["select 'listen x'", [], []],
])('%j', (text, listens, unlistens) => expect(readEffects(text)).toMatchObject({ listens, unlistens }))

test.each([
  ['deallocate s1', 's1'],
  ['DEALLOCATE PREPARE "Stmt 1";', 'Stmt 1'],
  ['deallocate all', undefined],
  ['deallocate a; deallocate b', undefined],
])('%j deallocates %s', (text, name) => expect(deallocatedName(text)).toBe(name))

test.each(['deallocate all', 'DISCARD ALL', 'select 1; deallocate prepare all'])(
  '%j deallocates all statements',
  (text) => expect(readEffects(text).deallocatesAll).toBe(true),
)

test.each(['reset session authorization', 'SET SESSION AUTHORIZATION DEFAULT;'])('%j', (text) =>
  expect(resetsAuthorization(text)).toBe(true),
)

test('a dump of many megabytes is scanned completely', () => {
  const row = `insert into t values ('${"it''s ; set x = 1 ".repeat(50)}');\n`
  expect(readEffects(row.repeat(4000)).changesSettings).toBe(false)
})
