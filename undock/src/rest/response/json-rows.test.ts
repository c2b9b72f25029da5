import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { statement } from '../../kernel/sql.ts'
import { openTestDatabase } from '../../testing/database.ts'
import { type JsonTypeRow, type JsonTypes, jsonTypesQuery, toJsonTypes } from '../schema-cache/json-types.ts'
import { EMBED_END, EMBED_START } from '../sql/read.ts'
import { jsonRows } from './json-rows.ts'

let database: Awaited<ReturnType<typeof openTestDatabase>>
let types: JsonTypes

beforeAll(async () => {
  database = await openTestDatabase(`
    create type mood as enum ('fine', 'so "so"');
    create domain short as varchar(9);
    create type pair as (a int, b text);
    create type marked as enum ('x');
    create function as_json(marked) returns json language sql as $$ select '"!"'::json $$;
    create cast (marked as json) with function as_json(marked)`)
  types = toJsonTypes((await database.db.query<JsonTypeRow>(statement(jsonTypesQuery))).rows)
})
afterAll(() => database.close())

/** A list of columns, made JSON of by both. */
async function both(columns: string, values: readonly unknown[] = [], from = '') {
  const { db } = database
  const [ours, theirs] = await db.run({
    statements: [
      { text: `select ${columns}${from}`, values, asText: true },
      { text: `select coalesce(json_agg(t), '[]')::text as body from (select ${columns}${from}) t`, values },
    ],
  })
  const made = ours?.text && jsonRows(ours.text, { embeds: 0, isSingle: false, isCounted: false }, types)
  return { ours: made?.toString() ?? null, theirs: theirs?.rows[0]?.body }
}

describe('rows are what json_agg prints', () => {
  test.each([
    ['numbers', "1::int2, -2::int4 as b, 9223372036854775807::int8, 1.50::numeric, 'NaN'::numeric"],
    ['floats', "0.1::float8, 1e300::float8, '-Infinity'::float4, '-0'::float8, 'NaN'::float8"],
    ['booleans and nulls', 'true, false, null::bool, null::text'],
    [
      'strings',
      `E'a"b\\\\c\\n\\r\\t\\b\\f\\x01\\x1f\\x7f/é😀'::text, 'x'::char(3), 'y'::"char", 'n'::name, 'ab'::short`,
    ],
    ['an enum, a uuid, bytes', `'so "so"'::mood, gen_random_uuid()::uuid is null, '\\xdead'::bytea, '{1,2}'::text`],
    ['json as it was written', `'{ "b":1,\n "a" : [ ] }'::json, '{"b":1,"aa":[]}'::jsonb`],
    ['dates', "date '2026-01-02', date 'infinity', timestamp '2026-01-02 03:04:05.678', timestamp '-infinity'"],
    ['moments', "timestamptz '2026-01-02 03:04:05+00', timestamptz 'infinity', timestamptz '12026-01-02 00:00:00Z'"],
    ['times and spans', "time '03:04', timetz '03:04+02', interval '1 day 02:00', '[1,5)'::int4range, '1.2.3.4'::inet"],
    ['arrays', `array[1,null,3], array['a b','NULL',null,'x"y\\z','']::text[], '{}'::int[], array[[1,2],[3,4]]`],
    [
      'arrays of others',
      `array[true,false], array[1.5,'NaN']::float8[], array[date '2026-01-02'], array['fine']::mood[]`,
    ],
    ['arrays of json', `array['{"a":1}','[]']::jsonb[], array['{ "a":1}']::json[]`],
    ['names of columns', `1 as "a b", 2 as "q""uote", 3 as "é", 4 as "?column?", 5 as same, 6 as same`],
  ])('%s', async (_, columns) => {
    const { ours, theirs } = await both(columns)
    expect(ours).not.toBeNull()
    expect(ours).toBe(theirs)
  })

  test('many rows, and none', async () => {
    const many = await both(`n, 'row ' || n as name`, [], ' from generate_series(1, 3000) n')
    expect(many.ours).toBe(many.theirs)
    expect((await both('1', [], ' where false')).ours).toBe('[]')
  })

  test('rows without columns', async () => {
    const { ours, theirs } = await both('', [], 'from generate_series(1, 2)')
    expect(ours).toBe(theirs)
  })

  test('with any values', async () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 40 }).map((value) => value.replaceAll('\0', ''))
    await fc.assert(
      fc.asyncProperty(
        text,
        fc.double(),
        fc.date({ min: new Date('0001-01-02'), max: new Date('9999-12-30'), noInvalidDate: true }),
        fc.array(fc.option(text), { maxLength: 4 }),
        fc.json(),
        async (string, number, date, list, json) => {
          const { ours, theirs } = await both(
            '$1::text as a, $2::float8 as b, $3::timestamptz as c, $3::timestamp as d, $4::text[] as e, $5::json as f',
            [string, number, date, list, json.replaceAll('\\u0000', '')],
          )
          expect(ours).toBe(theirs)
        },
      ),
      { numRuns: 200 },
    )
  })
})

test.each([
  ['row types', "row(1, 'a')::pair"],
  ['arrays of them', "array[row(1, 'a')::pair]"],
  ['a type with a cast to json', "'x'::marked"],
  ['years before Christ', "date '0044-03-15 BC'"],
  ['arrays that begin elsewhere', "'[0:1]={1,2}'::int[]"],
])('%s are left to Postgres', async (_, columns) => {
  expect((await both(columns)).ours).toBeNull()
})

test('dates in another style are left to Postgres', async () => {
  const { db } = database
  for (const style of ['German', 'SQL, DMY', 'Postgres']) {
    const [found] = await db.run({
      settings: { datestyle: style },
      statements: [{ text: `select date '2026-01-02' as a, timestamptz '2026-01-02Z' as b`, values: [], asText: true }],
    })
    expect(found?.text && jsonRows(found.text, { embeds: 0, isSingle: false, isCounted: false }, types)).toBeNull()
  }
})

describe('one row', () => {
  const single = async (text: string) => {
    const [found] = await database.db.run({ statements: [{ text, values: [], asText: true }] })
    return found?.text && jsonRows(found.text, { embeds: 0, isSingle: true, isCounted: false }, types)?.toString()
  }

  test('is printed without a list', async () => {
    expect(await single('select 1 as a')).toBe('{"a":1}')
    expect(await single('select 1 as a where false')).toBe('null')
  })
})

describe('an embedded row', () => {
  const ROW = `(select 7 as id, 'x' as name, true as b, 1.50::numeric as price, date '2026-01-02' as day, '{"z":1,"a":2}'::jsonb as data,
    array[1,2] as list, timestamptz '2026-01-02 03:04:05Z' as "when", 'é' as "é", 'fine'::mood as mood)`

  async function embedded(row: string, embeds = 1) {
    const { db } = database
    const [flat, whole] = await db.run({
      statements: [
        {
          text: `select 1 as id, e.*, null as "${EMBED_END}", 2 as last
            from (select 1) s left join lateral (select true as "${EMBED_START}of", x.* from ${row} x) e on true`,
          values: [],
          asText: true,
        },
        {
          text: `select json_agg(t)::text as body from
            (select 1 as id, (select to_jsonb(x) from ${row} x) as of, 2 as last) t`,
          values: [],
        },
      ],
    })
    const made = flat?.text && jsonRows(flat.text, { embeds, isSingle: false, isCounted: false }, types)
    return { ours: made?.toString() ?? null, theirs: whole?.rows[0]?.body }
  }

  test.each([
    ['is what jsonb prints', ROW],
    ['is null where there is none', '(select 7 as id where false)'],
    ['is there where all of it is null', '(select null::int as id)'],
    ['has floats as numeric has them', "(select 0.5::float8 as a, 'NaN'::float8 as b)"],
  ])('%s', async (_, row) => {
    const { ours, theirs } = await embedded(row)
    expect(ours).not.toBeNull()
    expect(ours).toBe(theirs)
  })

  test.each([
    ['json, which jsonb orders', `(select '{"b":1,"a":2}'::json as a)`],
    ['floats that numeric writes out', '(select 1e20::float8 as a)'],
    ['names that are there twice', '(select 1 as a, 2 as a)'],
  ])('is left to Postgres: %s', async (_, row) => {
    expect((await embedded(row)).ours).toBeNull()
  })

  test.each([
    ['of its', 'select 7 as id, true as b', `e.id as "${EMBED_START}of${EMBED_START}id", e.b`],
    ['that is not there', 'select 7 as id, true as b where false', `e.id as "${EMBED_START}of${EMBED_START}id", e.b`],
    [
      'whose name has what begins it',
      `select 7 as "a${EMBED_START}b"`,
      `e."a${EMBED_START}b" as "${EMBED_START}of${EMBED_START}a${EMBED_START}b"`,
    ],
  ])('can begin with a column %s', async (_, row, columns) => {
    const { db } = database
    const [flat, whole] = await db.run({
      statements: [
        { text: `select ${columns} from (select 1) s left join lateral (${row}) e on true`, values: [], asText: true },
        {
          text: `select json_agg(t)::text as body from (select (select to_jsonb(e) from (${row}) e) as of) t`,
          values: [],
        },
      ],
    })
    const made = flat?.text && jsonRows(flat.text, { embeds: 1, isSingle: false, isCounted: false }, types)
    expect(made?.toString()).toBe(whole?.rows[0]?.body)
  })

  test('is not confused with a column of the same name', async () => {
    expect((await embedded('(select 7 as other)', 0)).ours).toBeNull()
  })
})
