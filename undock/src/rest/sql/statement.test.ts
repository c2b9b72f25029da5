import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Statement, statement } from '../../kernel/sql.ts'
import { planRequest } from '../plan/plan.ts'
import { requestOf, settingsWith, TEST_SCHEMA_CACHE } from '../testing/schema-cache.ts'
import { planSql } from './statement.ts'

type Given = NonNullable<Parameters<typeof requestOf>[1]>

function compile(line: string, given: Given = {}): Statement {
  const { settings = settingsWith({ db_aggregates_enabled: 'true' }) } = given
  const request = requestOf(line, { ...given, settings })
  const plan = planRequest(request, TEST_SCHEMA_CACHE, settings)
  if (plan.kind === 'inspect' || plan.kind === 'info') throw new Error('no query')
  return statement(planSql(plan, request, settings.maxRows))
}

const sourceOf = ({ text }: Statement): string =>
  /^with pgrst_source as \((.*?)\)(?:, pgrst_source_count| select )/s.exec(text)?.[1] ?? ''

const withText = (value: unknown): unknown => (value instanceof Buffer ? value.toString() : value)

describe('reads', () => {
  test.each<[string, string, string, unknown[]]>([
    [
      'by key',
      'GET /books?id=eq.1',
      'select "public"."books".* from "public"."books" where "public"."books"."id" = $1',
      ['1'],
    ],
    [
      'with a to-one embed, its filter and a page',
      'GET /books?select=title,authors(name)&authors.name=like.A*&limit=5&offset=2',
      'select "public"."books"."title", "books_authors_1"."books_authors_1" as "authors" from "public"."books" left join lateral (select to_jsonb("books_authors_1") as "books_authors_1" from (select "authors_1"."name" from "public"."authors" as "authors_1" where "authors_1"."name" like $1 and "public"."books"."author_id" = "authors_1"."id") as "books_authors_1") as "books_authors_1" on true limit 8',
      ['A%', 5, 2],
    ],
    [
      'with a to-one embed that it is ordered by',
      'GET /books?select=authors(name)&order=authors(name)',
      'select to_jsonb("books_authors_1".*) as "authors" from "public"."books" left join lateral (select "authors_1"."name" from "public"."authors" as "authors_1" where "public"."books"."author_id" = "authors_1"."id") as "books_authors_1" on true order by "books_authors_1"."name"',
      [],
    ],
    [
      'with an inner to-many embed, ordered',
      'GET /authors?select=name,books!inner(title)&order=name.desc.nullslast',
      'select "public"."authors"."name", coalesce("authors_books_1"."authors_books_1", \'[]\') as "books" from "public"."authors" inner join lateral (select jsonb_agg("authors_books_1") as "authors_books_1" from (select "books_1"."title" from "public"."books" as "books_1" where "public"."authors"."id" = "books_1"."author_id") as "authors_books_1") as "authors_books_1" on "authors_books_1" is not null order by "public"."authors"."name" desc nulls last',
      [],
    ],
    [
      'through a junction',
      'GET /books?select=tags(name)',
      'select coalesce("books_tags_1"."books_tags_1", \'[]\') as "tags" from "public"."books" left join lateral (select jsonb_agg("books_tags_1") as "books_tags_1" from (select "public"."tags"."name" from "public"."tags", "public"."book_tags" where "public"."tags"."id" = "public"."book_tags"."tag_id" and "public"."books"."id" = "public"."book_tags"."book_id") as "books_tags_1") as "books_tags_1" on true',
      [],
    ],
    [
      'with logic, lists, text search and JSON paths',
      'GET /books?select=data->a,id::text&or=(id.in.(1,2),not.and(title.fts(english).cat,data->a->>0.eq.x))',
      'select "public"."books"."data"->$1 as "a", cast("public"."books"."id" as text) from "public"."books" where ("public"."books"."id" = any($2) or not (to_tsvector($3, "public"."books"."title") @@ to_tsquery($4, $5) and "public"."books"."data"->$6->>$7::int = $8))',
      ['a', '{"1","2"}', 'english', 'english', 'cat', 'a', '+0', 'x'],
    ],
    [
      'with a null filter on an embed',
      'GET /books?select=title,authors()&authors=not.is.null',
      'select "public"."books"."title" from "public"."books" left join lateral (select "authors_1".* from "public"."authors" as "authors_1" where "public"."books"."author_id" = "authors_1"."id") as "books_authors_1" on true where "books_authors_1" is distinct from null',
      [],
    ],
    [
      'with aggregates',
      'GET /books?select=author_id,n:id.count()',
      'select "public"."books"."author_id", count("public"."books"."id") as "n" from "public"."books" group by "public"."books"."author_id"',
      [],
    ],
    [
      'with a to-one spread, ordered by it',
      'GET /books?select=title,...authors(name)&order=authors(name)',
      'select "public"."books"."title", "books_authors_1"."name" from "public"."books" left join lateral (select "authors_1"."name" from "public"."authors" as "authors_1" where "public"."books"."author_id" = "authors_1"."id") as "books_authors_1" on true order by "books_authors_1"."name"',
      [],
    ],
  ])('%s', (_name, line, source, values) => {
    const compiled = compile(line)
    expect(compiled.text.startsWith(`with pgrst_source as (${source}) `)).toBe(true)
    expect(compiled.values).toEqual(values)
  })

  test('tell the planner only the magnitude of a page', () => {
    const texts = ['limit=5&offset=2', 'limit=3&offset=4', 'limit=8'].map((page) => compile(`GET /tags?${page}`).text)
    expect(texts[0]).toBe(texts[1])
    expect(texts.map((text) => text.slice(text.indexOf('from (')))).toEqual([
      'from (select * from pgrst_source limit $1 offset $2) _postgrest_t',
      'from (select * from pgrst_source limit $1 offset $2) _postgrest_t',
      'from (select * from pgrst_source limit $1) _postgrest_t',
    ])
    expect(sourceOf(compile('GET /tags?limit=8'))).toMatch(/ limit 8$/)
    expect(sourceOf(compile('GET /tags?limit=0'))).not.toMatch(/limit/)
    expect(sourceOf(compile(`GET /tags?limit=9007199254740991`))).not.toMatch(/limit/)
  })

  test('limit embedded rows to the maximum and to-one embeds to one row, unless ordered', () => {
    const given = { settings: settingsWith({ db_max_rows: '1000' }) }
    const { text, values } = compile('GET /books?select=authors(books(id))', given)
    expect(text).toContain('where "public"."books"."author_id" = "authors_1"."id" limit 1) as')
    expect(text).toContain('where "authors_1"."id" = "books_2"."author_id" limit $1) as')
    expect(values).toEqual([1000, 1000])
    const ordered = compile('GET /books?select=authors(books(id))&order=id', given)
    expect(ordered.text).toContain('where "public"."books"."author_id" = "authors_1"."id") as')
    expect(ordered.values).toEqual([1000, 1000])
  })

  test('return one row', () => {
    expect(compile('GET /tags', { headers: { prefer: 'count=exact' } })).toEqual({
      text:
        'with pgrst_source as (select "public"."tags".* from "public"."tags") ' +
        "select pg_catalog.count(*) as total, pg_catalog.count(*) as page, (coalesce(json_agg(_postgrest_t), '[]'))::text as body, " +
        "nullif(current_setting('response.headers', true), '') as response_headers, nullif(current_setting('response.status', true), '') as response_status " +
        'from (select * from pgrst_source) _postgrest_t',
      values: [],
    })
  })
})

describe('writes', () => {
  const body = (text: string, prefer = ''): Given => ({ body: text, headers: { prefer } })
  test.each<[string, string, Given, string, unknown[]]>([
    [
      'insert with defaults',
      'POST /books',
      body('[{"title":"a"}]', 'return=representation, missing=default'),
      'insert into "public"."books"("title") select "pgrst_body"."title" from (select $1::json::jsonb as json_data) pgrst_payload, lateral (select jsonb_agg(jsonb_build_object($2::text, \'untitled\'::text) || elem) as val from jsonb_array_elements(pgrst_payload.json_data) elem) pgrst_json_defs, lateral (select "title" from jsonb_to_recordset(pgrst_json_defs.val) as _("title" text)) pgrst_body returning "public"."books".*',
      ['[{"title":"a"}]', 'title'],
    ],
    [
      'upsert that ignores',
      'POST /books?on_conflict=title',
      body('{"title":"a"}', 'resolution=ignore-duplicates'),
      'insert into "public"."books"("title") select "pgrst_body"."title" from (select $1::json as json_data) pgrst_payload, lateral (select "title" from json_to_record(pgrst_payload.json_data) as _("title" text)) pgrst_body on conflict ("title") do nothing returning 1',
      ['{"title":"a"}'],
    ],
    [
      'update',
      'PATCH /books?id=eq.7',
      body('{"title":"b"}'),
      'update "public"."books" set "title" = "pgrst_body"."title" from (select $1::json as json_data) pgrst_payload, lateral (select "title" from json_to_record(pgrst_payload.json_data) as _("title" text)) pgrst_body where "public"."books"."id" = $2 returning 1',
      ['{"title":"b"}', '7'],
    ],
    [
      'delete',
      'DELETE /books?id=in.(1,2)',
      {},
      'delete from "public"."books" where "public"."books"."id" = any($1) returning 1',
      ['{"1","2"}'],
    ],
    [
      'columns an embed needs are returned',
      'DELETE /books?select=title,authors(name)',
      { headers: { prefer: 'return=representation' } },
      'delete from "public"."books" returning "public"."books"."author_id", "public"."books"."id", "public"."books"."title"',
      [],
    ],
  ])('%s', (_name, line, given, source, values) => {
    const compiled = compile(line, given)
    expect(compiled.text.startsWith(`with pgrst_source as (${source}) `)).toBe(true)
    expect(compiled.values.map(withText)).toEqual(values)
  })

  test('a guard makes the statement itself fail', () => {
    const headers = { prefer: 'handling=strict, max-affected=3' }
    const compiled = compile('DELETE /books', { headers })
    expect(compiled.text).toContain(
      "case when pg_catalog.count(*) > $1::bigint then ('undock:PGRST124:' || pg_catalog.count(*))::bigint",
    )
    expect(compiled.values).toEqual([3])
  })
})

test('a call passes its arguments by name', () => {
  const compiled = compile('GET /rpc/search_books?query=x&select=title&id=gt.1')
  expect(sourceOf(compiled)).toBe(
    'select "pgrst_call"."id", "pgrst_call"."title" from "public"."search_books"("query" := $1::text) pgrst_call',
  )
  expect(compiled.values).toEqual(['x', '1'])
})

describe('no client input becomes SQL text', () => {
  const MARK = 'zqx'
  const QUOTED = /"(?:[^"]|"")*"/g
  const marked = fc
    .string({
      unit: fc.constantFrom(
        "'",
        '"',
        ';',
        '-',
        '/',
        '*',
        '\\',
        '$',
        '$1',
        ' ',
        '(',
        ')',
        ',',
        '.',
        ':',
        '{',
        '}',
        '%',
        'é',
        '\n',
        'a',
        '1',
      ),
    })
    .map((text) => `${MARK}${text}${MARK}`)
  const parameter = (text: string): string => encodeURIComponent(text)
  const quoted = (name: string): string => parameter(`"${name.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`)

  test('values: the text is the same for all values', () => {
    const shape = (value: string): Statement =>
      compile(
        `GET /books?title=eq.${parameter(value)}&author_id=not.in.(${quoted(value)})&data->a=like.${parameter(value)}&title=fts.${parameter(value)}&id=isdistinct.${parameter(value)}`,
      )
    const { text } = shape('x')
    fc.assert(
      fc.property(marked, (value) => {
        const compiled = shape(value)
        expect(compiled.text).toBe(text)
        expect(compiled.values).toContain(value)
      }),
      { numRuns: 300 },
    )
  })

  test('names stay inside their quotes', () => {
    fc.assert(
      fc.property(marked, (name) => {
        const column = quoted(name)
        const { text } = compile(
          `GET /books?select=${column}:title,${column},data->${column},${column}:authors(${column}:name)&order=${column}&${column}=eq.1`,
        )
        expect(text).toContain(MARK)
        expect(text.replaceAll(QUOTED, '')).not.toContain(MARK)
        expect(
          text.replaceAll(QUOTED, '').replaceAll(/'(?:\[\]|response\.headers|response\.status)?'/g, ''),
        ).not.toMatch(/['"\\;]/)
      }),
      { numRuns: 300 },
    )
  })

  test('bodies: keys must be columns, everything else is one parameter', () => {
    fc.assert(
      fc.property(marked, (value) => {
        const body = JSON.stringify({ title: value })
        const compiled = compile('POST /books', { body })
        expect(compiled.text).not.toContain(MARK)
        expect(compiled.values.map(withText)).toEqual([body])
        expect(() => compile('POST /books', { body: JSON.stringify({ [value]: 1 }) })).toThrow(/Could not find the/)
      }),
      { numRuns: 100 },
    )
  })

  test('casts: letters, digits, spaces, _ and $ only', () => {
    fc.assert(
      fc.property(fc.string(), (type) => {
        let compiled: Statement
        try {
          compiled = compile(`GET /books?select=id::${parameter(type)}`)
        } catch {
          return
        }
        const cast = /cast\("public"\."books"\."id" as (.*?)\) from/s.exec(compiled.text)?.[1]
        if (cast !== undefined) expect(cast).toMatch(/^[\p{L}\p{N}_ $]*$/u)
      }),
      { numRuns: 300 },
    )
  })
})
