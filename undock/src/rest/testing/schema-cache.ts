import { payloadReader } from '../request/payload.ts'
import { type ApiRequest, columnsParameter, parseRequest, takesPayload } from '../request/request.ts'
import type { KeyRow } from '../schema-cache/keys.ts'
import { toMediaHandlers } from '../schema-cache/media-handlers.ts'
import { type Column, keyOf, type Routine, type SchemaCache, type Table } from '../schema-cache/model.ts'
import { buildRelationships } from '../schema-cache/relationships.ts'
import { type ApiConfig, mergeSettings, type RestSettings } from '../settings.ts'

// A small schema for the pure stages: authors write books, books have tags through a junction.

const column = (name: string, type: string, changes: Partial<Column> = {}): Column => ({
  name,
  description: null,
  nullable: true,
  type,
  nominalType: type,
  maxLength: null,
  default: null,
  enum: [],
  ...changes,
})

const table = (name: string, primaryKey: readonly string[], columns: readonly Column[]): Table => ({
  schema: 'public',
  name,
  description: null,
  isView: false,
  insertable: true,
  updatable: true,
  deletable: true,
  primaryKey,
  columns: new Map(columns.map((one) => [one.name, one])),
})

const TABLES = [
  table('authors', ['id'], [column('id', 'integer'), column('name', 'text')]),
  table(
    'books',
    ['id'],
    [
      column('id', 'integer'),
      column('title', 'text', { default: "'untitled'::text" }),
      column('author_id', 'integer'),
      column('data', 'jsonb'),
    ],
  ),
  table('tags', ['id'], [column('id', 'integer'), column('name', 'text')]),
  table('book_tags', ['book_id', 'tag_id'], [column('book_id', 'integer'), column('tag_id', 'integer')]),
]

const numberOf = (name: string, columnName: string): number =>
  [...(TABLES.find((one) => one.name === name)?.columns.keys() ?? [])].indexOf(columnName) + 1

const key = (type: KeyRow['type'], name: string, own: readonly string[], foreign: string | null = null): KeyRow => ({
  name: foreign === null ? `${name}_pkey` : `${name}_${own.join('_')}_fkey`,
  type,
  isOwn: true,
  tableId: name,
  tableSchema: 'public',
  tableName: name,
  columns: own.map((one) => ({ name: one, number: numberOf(name, one) })),
  foreignId: foreign ?? '0',
  foreignSchema: foreign === null ? null : 'public',
  foreignName: foreign,
  foreignColumns: foreign === null ? null : [{ name: 'id', number: 1 }],
})

const KEYS = [
  ...TABLES.map(({ name, primaryKey }) => key('p', name, primaryKey)),
  key('f', 'books', ['author_id'], 'authors'),
  key('f', 'book_tags', ['book_id'], 'books'),
  key('f', 'book_tags', ['tag_id'], 'tags'),
]

const SEARCH: Routine = {
  schema: 'public',
  name: 'search_books',
  description: null,
  parameters: [
    { name: 'query', type: 'text', unlimitedType: 'text', required: true, variadic: false },
    { name: 'most', type: 'integer', unlimitedType: 'integer', required: false, variadic: false },
  ],
  returns: { type: { schema: 'public', name: 'books' }, set: true, composite: true },
  volatility: 'stable',
  hasVariadic: false,
  isolation: null,
  settings: {},
}

const tables = new Map(TABLES.map((one) => [keyOf(one), one]))

export const TEST_SCHEMA_CACHE: SchemaCache = {
  schemas: ['public'],
  tables,
  relationships: buildRelationships({ tables, keys: KEYS, viewKeys: [], computed: [], schemas: ['public'] }),
  routines: new Map([[keyOf(SEARCH), [SEARCH]]]),
  representations: new Map(),
  mediaHandlers: toMediaHandlers([]),
}

const CONFIG: ApiConfig = { schemas: ['public'], extra_search_path: ['public', 'extensions'], max_rows: 0 }

export const settingsWith = (overrides: Record<string, string> = {}): RestSettings =>
  mergeSettings(CONFIG, new Map(Object.entries(overrides)))

type Given = { readonly body?: string; readonly headers?: Record<string, string>; readonly settings?: RestSettings }

/** Parses a request line such as `GET /books?id=eq.1`. */
export function requestOf(
  line: string,
  { body = '', headers = {}, settings = settingsWith() }: Given = {},
): ApiRequest {
  const [method = '', target = ''] = line.split(/ (.*)/s)
  const [path = '', search = ''] = target.split(/\?(.*)/s)
  const http = { method, path, search, headers: new Headers(headers) }
  const request = parseRequest(http, settings)
  if (!takesPayload(request)) return request
  const reader = payloadReader(request.contentType, {
    columns: columnsParameter(request),
    forFunction: request.action.kind === 'call',
    limit: 2 ** 20,
  })
  reader.read(Buffer.from(body))
  return { ...request, ...reader.end() }
}
