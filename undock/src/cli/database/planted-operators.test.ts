import type pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createSqlClient } from '../../mcp/sql.ts'
import { readAdvisors } from '../../project-tools/advisors/index.ts'
import { countRows } from '../../project-tools/contents.ts'
import { dumpRoles } from '../../project-tools/dump/dump.ts'
import { readCatalog } from '../../project-tools/types/catalog.ts'
import { openTestDatabase, type TestDatabase } from '../../testing/database.ts'
import { withClient } from '../database-target.ts'
import { advisors } from './advisors.ts'

// PostgreSQL prefers an operator for exactly these types to its own for similar types.

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
  const planted = [
    ['oid', 'regclass'],
    ['oid', 'integer'],
  ].map(
    ([left, right]) => `create function public.trap(${left}, ${right}) returns boolean language plpgsql as
      $$ begin raise exception 'a planted operator ran'; end $$;
      create operator public.= (leftarg = ${left}, rightarg = ${right}, function = public.trap);`,
  )
  await database.db.runAs(
    'postgres',
    `create type public.mood as enum ('calm');
     create table public.notes (id int primary key, mood public.mood);
     create function public.feels(one public.notes, how public.mood) returns boolean language sql return true;
     ${planted.join('\n')}`,
  )
})
afterAll(() => database.close())

test('sessions with public on their search path use the planted operators', async () => {
  await expect(
    database.db.runAs('postgres', `select 'pg_class'::regclass::oid = 'pg_class'::regclass`),
  ).rejects.toThrow('a planted operator ran')
})

test('dumps, types and advisors use PostgreSQL’s own', async () => {
  const { url } = database
  expect((await countRows(url)).get('public.notes')).toBe(0)
  expect(await dumpRoles(url)).toContain('RESET ALL;')
  const catalog = await withClient(url, (client: pg.Client) => readCatalog(client, ['public']))
  expect(catalog.routines.find(({ name }) => name === 'feels')?.argumentsText).toBe('one notes, how mood')
  expect(await readAdvisors(createSqlClient(url).readCatalog, ['public'])).not.toEqual([])
  const printed = vi.spyOn(console, 'log').mockReturnValue(undefined)
  const options = { type: 'all', level: 'info', failOn: 'none', output: 'json' } as const
  expect(await advisors({ ...options, dbUrl: url })).toBe(0)
  expect(printed.mock.calls.flat().join()).toContain('public.notes')
  printed.mockRestore()
})
