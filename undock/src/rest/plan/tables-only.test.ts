import { expect, test } from 'vitest'
import { type Relationship, relationshipKey, representationKey, type SchemaCache } from '../schema-cache/model.ts'
import { requestOf, settingsWith, TEST_SCHEMA_CACHE } from '../testing/schema-cache.ts'
import { planRequest } from './plan.ts'
import { readsTablesOnly } from './tables-only.ts'

const isShared = (
  line: string,
  cache: SchemaCache = TEST_SCHEMA_CACHE,
  headers: Record<string, string> = {},
): boolean =>
  readsTablesOnly(
    planRequest(
      requestOf(line, { headers, settings: settingsWith({ db_plan_enabled: 'true' }) }),
      cache,
      settingsWith({ db_plan_enabled: 'true' }),
    ),
    cache,
  )

test.each([
  'GET /books',
  'HEAD /books?select=id,title&id=eq.1&order=title.desc&limit=10',
  'GET /books?select=id,authors(name),tags(*)&or=(id.eq.1,and(id.gt.5,title.like.a*))&authors=not.is.null',
])('%s reads tables only', (line) => {
  expect(isShared(line)).toBe(true)
})

const changed = (name: string, change: object): SchemaCache => ({
  ...TEST_SCHEMA_CACHE,
  tables: new Map(
    [...TEST_SCHEMA_CACHE.tables].map(([key, table]) => [key, table.name === name ? { ...table, ...change } : table]),
  ),
})
const computed: Relationship = {
  kind: 'computed',
  function: { schema: 'public', name: 'recent' },
  table: { schema: 'public', name: 'books' },
  foreignTable: { schema: 'public', name: 'tags' },
  isToOne: false,
  isSelf: false,
}

test.each<[string, string, SchemaCache?, Record<string, string>?]>([
  ['a view', 'GET /books', changed('books', { isView: true })],
  ['an embedded view', 'GET /books?select=id,authors(name)', changed('authors', { isView: true })],
  ['a computed column', 'GET /books?select=id,lucky_number'],
  ['a filter by one', 'GET /books?not.and=(id.eq.1,lucky_number.eq.7)'],
  ['an embed’s filter by one', 'GET /books?select=authors(name)&authors.lucky_number=eq.7'],
  ['an order by one', 'GET /books?order=lucky_number'],
  ['an order by an embed’s column', 'GET /books?select=id,authors(name)&order=authors(name)'],
  [
    'a computed relationship',
    'GET /books?select=recent(name)',
    {
      ...TEST_SCHEMA_CACHE,
      relationships: new Map([
        ...TEST_SCHEMA_CACHE.relationships,
        [relationshipKey(computed.table, 'public'), [computed]],
      ]),
    },
  ],
  [
    'a representation',
    'GET /books?select=title',
    { ...TEST_SCHEMA_CACHE, representations: new Map([[representationKey('text', 'json'), 'to_json']]) },
  ],
  ['a plan', 'GET /books', TEST_SCHEMA_CACHE, { accept: 'application/vnd.pgrst.plan' }],
  ['a function', 'GET /rpc/search_books?query=a'],
  ['a change', 'DELETE /books?id=eq.1'],
])('%s reads more than tables', (_, line, cache, headers) => {
  expect(isShared(line, cache, headers)).toBe(false)
})
