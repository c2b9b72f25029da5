import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openEmbeddedTestDatabase } from '../../testing/database.ts'
import { createDb } from '../engine-db.ts'
import { openEngine } from './engine.ts'

let database: Awaited<ReturnType<typeof openEmbeddedTestDatabase>>
beforeAll(async () => {
  database = await openEmbeddedTestDatabase()
})
afterAll(() => database.close())

const query = async (text: string) => (await database.db.query({ text, values: [] })).rows[0]

test.each([
  ['vector', `select '[1,2]'::extensions.vector operator(extensions.<->) '[1,5]' as value`, 3],
  ['hstore', `select ('a=>1'::extensions.hstore operator(extensions.->) 'a') as value`, '1'],
  ['pg_trgm', `select extensions.similarity('word', 'word')::float8 as value`, 1],
  ['unaccent', `select extensions.unaccent('extensions.unaccent', 'é') as value`, 'e'],
  ['citext', `select 'A'::extensions.citext operator(extensions.=) 'a' as value`, true],
  ['ltree', `select extensions.nlevel('a.b') as value`, 2],
  ['fuzzystrmatch', `select extensions.levenshtein('a', 'b') as value`, 1],
  ['btree_gist', `select extensions.cash_dist('1', '3') is not null as value`, true],
  ['moddatetime', `select to_regproc('extensions.moddatetime') is not null as value`, true],
  [
    'postgis',
    `select extensions.st_srid(extensions.st_transform('srid=4326;point(1 2)'::extensions.geometry, 3857)) as value`,
    3857,
  ],
  ['pgtap', `select extensions.pgtap_version() > 1 as value`, true],
])('create extension %s', async (name, text, value) => {
  await database.db.exec(`create extension if not exists "${name}" with schema extensions`)
  expect(await query(text)).toEqual({ value })
})

test('every offered extension can be created', async () => {
  const { rows } = await database.db.query({
    text: "select name from pg_available_extensions where name not like 'postgis%' order by name",
    values: [],
  })
  const names = rows.map(({ name }) => String(name))
  expect(names).toEqual(expect.arrayContaining(['autoinc', 'intarray', 'pg_stat_statements', 'pgcrypto', 'uuid-ossp']))
  for (const name of names) {
    await database.db.exec(`create extension if not exists "${name}" with schema extensions cascade`)
  }
})

test('an extension that the engine lacks is refused by its name', async () => {
  await expect(database.db.exec('create extension plv8')).rejects.toThrow('extension "plv8" is not available')
})

test('a database with postgis finds it when it is opened again', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'undock-extensions-'))
  try {
    const snapshot = join(folder, 'snapshot')
    await database.engine.dump(snapshot)
    const engine = await openEngine({ folder: null, snapshot, statementLimit: 30_000, waitLimit: 10_000 })
    const { rows } = await createDb(engine).query({
      text: `select extensions.st_asgeojson('point(1 2)'::extensions.geometry) as value`,
      values: [],
    })
    await engine.close()
    expect(rows).toEqual([{ value: '{"type":"Point","coordinates":[1,2]}' }])
  } finally {
    await rm(folder, { recursive: true })
  }
})
