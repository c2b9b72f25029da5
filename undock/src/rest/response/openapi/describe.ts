import { tryJson } from '../../../kernel/json.ts'
import { type Sql, sql, statement } from '../../../kernel/sql.ts'
import { contentType, OPENAPI_TYPE } from '../../media-type.ts'
import type { Plan } from '../../plan/model.ts'
import type { ReadyRequest } from '../../plan-cache.ts'
import type { RequestContext } from '../../request-context.ts'
import { preRequestStatement } from '../../run-query.ts'
import type { Catalog } from '../../schema-cache/catalog-loader.ts'
import {
  type Column,
  type ForeignRelationship,
  keyOf,
  type Relationship,
  type Routine,
  relationshipKey,
  type SchemaCache,
  type Table,
} from '../../schema-cache/model.ts'
import { type RoutineRow, routinesQuery, toRoutine } from '../../schema-cache/routines.ts'
import { POSTGREST_MAJOR, POSTGREST_VERSION } from '../../settings.ts'
import { profileHeader, type Rendered, VARY } from '../response.ts'
import { ROOT_PATH, routinePath, tablePath } from './paths.ts'
import { itemsOf, openApiFormat, openApiType, withoutEmpty } from './types.ts'

type Json = Record<string, unknown>

const PREFERENCES = {
  count: ['count=none'],
  return: ['return=representation', 'return=minimal', 'return=none'],
  resolution: ['resolution=ignore-duplicates', 'resolution=merge-duplicates'],
} as const

const prefer = (...kinds: (keyof typeof PREFERENCES)[]): Json =>
  withoutEmpty({
    name: 'Prefer',
    description: 'Preference',
    required: false,
    enum: kinds.flatMap((kind) => PREFERENCES[kind]),
    in: 'header',
    type: 'string',
  })

const text = (name: string, description: string, place: 'query' | 'header'): Json => ({
  name,
  description,
  required: false,
  in: place,
  type: 'string',
})

const sharedParameters = (tables: readonly Table[]): Json => ({
  preferParams: prefer(),
  preferReturn: prefer('return'),
  preferCount: prefer('count'),
  preferPost: prefer('return', 'resolution'),
  select: text('select', 'Filtering Columns', 'query'),
  on_conflict: text('on_conflict', 'On Conflict', 'query'),
  order: text('order', 'Ordering', 'query'),
  range: text('Range', 'Limiting and Pagination', 'header'),
  rangeUnit: { ...text('Range-Unit', 'Limiting and Pagination', 'header'), default: 'items' },
  offset: text('offset', 'Limiting and Pagination', 'query'),
  limit: text('limit', 'Limiting and Pagination', 'query'),
  ...Object.fromEntries(tables.flatMap(tableParameters)),
})

const tableParameters = ({ name, columns }: Table): [string, Json][] => [
  [`body.${name}`, { name, description: name, required: false, in: 'body', schema: { $ref: `#/definitions/${name}` } }],
  ...[...columns.values()].map((column): [string, Json] => [
    `rowFilter.${name}.${column.name}`,
    withoutEmpty({ name: column.name, description: column.description, required: false, in: 'query', type: 'string' }),
  ]),
]

const MEDIA_TYPES = [
  'application/json',
  'application/vnd.pgrst.object+json;nulls=stripped',
  'application/vnd.pgrst.object+json',
  'text/csv',
]

/** Answers a request to the root: an OpenAPI 2.0 description of everything the caller may use. */
export async function describeApi(
  plan: Extract<Plan, { kind: 'inspect' }>,
  { request, transaction }: ReadyRequest,
  { db, caller, catalog, times }: RequestContext,
): Promise<Rendered> {
  const { settings, cache } = catalog
  const { schema } = request
  const results = await db.run({
    ...transaction,
    statements: [
      ...(settings.preRequest === null ? [] : [preRequestStatement(settings.preRequest)]),
      statement(accessibleTables(schema)),
      statement(routinesQuery([schema])),
      statement(
        sql`select obj_description(oid, 'pg_namespace') as comment from pg_catalog.pg_namespace where nspname = ${schema}`,
      ),
    ],
  })
  times.end('transaction')
  const [tableRows, routineRows, schemaRows] = results.slice(-3)
  const everything = settings.openApiMode === 'ignore-privileges'
  const accessible = new Set((tableRows?.rows ?? []).map(({ name }) => String(name)))
  const tables = [...cache.tables.values()].filter(
    (table) => table.schema === schema && (everything || accessible.has(table.name)),
  )
  const routines = ((routineRows?.rows ?? []) as RoutineRow[])
    .filter(({ executable }) => everything || executable)
    .map((row) => toRoutine(row, []))
    .sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1))
  const comment = (schemaRows?.rows[0]?.comment ?? null) as string | null
  const document = toDocument({ tables, routines, comment, catalog, headers: caller.headers })
  return {
    status: 200,
    headers: [VARY, ['content-type', contentType(OPENAPI_TYPE)], ...profileHeader(schema, request.negotiated)],
    body: plan.headersOnly ? null : JSON.stringify(document),
  }
}

const accessibleTables = (schema: string): Sql => sql`
select c.relname as name
from pg_catalog.pg_class c
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where c.relkind in ('v', 'r', 'm', 'f', 'p') and not c.relispartition and n.nspname = ${schema}
  and (pg_has_role(c.relowner, 'usage')
    or has_table_privilege(c.oid, 'select, insert, update, delete, truncate, references, trigger')
    or has_any_column_privilege(c.oid, 'select, insert, update, references'))`

type DocumentParts = {
  readonly tables: readonly Table[]
  readonly routines: readonly Routine[]
  readonly comment: string | null
  readonly catalog: Catalog
  readonly headers: Headers
}

function toDocument({
  tables,
  routines,
  comment,
  catalog: { settings, cache },
  headers,
}: DocumentParts): Record<string, unknown> {
  const [title, ...rest] = comment?.split('\n') ?? []
  const text = rest.join('\n').replace(/^\n+/, '')
  const proxy = settings.openApiProxyUri === null ? null : new URL(settings.openApiProxyUri)
  const securityParts = settings.openApiSecurityActive
    ? {
        securityDefinitions: {
          JWT: {
            description: 'Add the token prepending "Bearer " (without quotes) to it',
            in: 'header',
            name: 'Authorization',
            type: 'apiKey',
          },
        },
        security: [{ JWT: [] }],
      }
    : {}
  return {
    swagger: '2.0',
    info: {
      title: title ?? 'PostgREST API',
      description: comment === null ? 'This is a dynamic API generated by PostgREST' : text,
      version: POSTGREST_VERSION,
    },
    host:
      proxy === null
        ? (headers.get('host') ?? 'localhost:3000')
        : `${proxy.hostname}:${proxy.port || (proxy.protocol === 'https:' ? 443 : 80)}`,
    basePath: proxy?.pathname ?? '/',
    schemes: [proxy?.protocol.replace(':', '') ?? 'http'],
    consumes: MEDIA_TYPES,
    produces: MEDIA_TYPES,
    paths: {
      '/': ROOT_PATH,
      ...Object.fromEntries(tables.map((table) => [`/${table.name}`, tablePath(table)])),
      ...Object.fromEntries(routines.map((routine) => [`/rpc/${routine.name}`, routinePath(routine)])),
    },
    definitions: Object.fromEntries(tables.map((table) => [table.name, tableDefinition(table, cache)])),
    parameters: sharedParameters(tables),
    ...securityParts,
    externalDocs: {
      description: 'PostgREST Documentation',
      url: `https://postgrest.org/en/v${POSTGREST_MAJOR}/references/api.html`,
    },
  }
}

/** Returns a JSON schema of a table's rows. */
function tableDefinition(table: Table, cache: SchemaCache): Record<string, unknown> {
  const columns = [...table.columns.values()]
  const relationships = cache.relationships.get(relationshipKey(table, table.schema)) ?? []
  return withoutEmpty({
    description: table.description,
    required: columns.filter(({ nullable }) => !nullable).map(({ name }) => name),
    properties: Object.fromEntries(columns.map((column) => [column.name, property(table, column, relationships)])),
    type: 'object',
  })
}

function property(table: Table, column: Column, known: readonly Relationship[]): Record<string, unknown> {
  const described = notes(table, column, known)
  const value = column.default === null ? undefined : parseDefault(column.type, column.default)
  return {
    ...withoutEmpty({ description: described, format: openApiFormat(column.type) }),
    ...(value === undefined ? {} : { default: value }),
    ...withoutEmpty({ enum: column.enum, maxLength: column.maxLength, type: openApiType(column.type) }),
    ...itemsOf(column.type),
  }
}

/** The column's comment, and its keys in the form that client generators read. */
function notes(table: Table, column: Column, known: readonly Relationship[]): string | null {
  const foreign = known
    .filter((one): one is ForeignRelationship => one.kind === 'foreign')
    .sort((one, other) => Number(one.foreignIsView) - Number(other.foreignIsView))
    .flatMap(({ cardinality, foreignTable }) => {
      if (cardinality.kind === 'many-to-many' || cardinality.columns.length !== 1) return []
      if (cardinality.kind === 'one-to-many' || cardinality.isParent) return []
      const [own, target] = cardinality.columns[0] ?? ['', '']
      return own === column.name ? [{ table: foreignTable.name, column: target }] : []
    })[0]
  const lines = [
    ...(table.primaryKey.includes(column.name) ? ['This is a Primary Key.<pk/>'] : []),
    ...(foreign
      ? [
          `This is a Foreign Key to \`${foreign.table}.${foreign.column}\`.<fk table='${foreign.table}' column='${foreign.column}'/>`,
        ]
      : []),
  ]
  if (lines.length === 0) return column.description
  const before = column.description === null ? '' : `${column.description}\n\n`
  return `${before}Note:\n${lines.join('\n')}`
}

/** Only JSON defaults are shown; expressions of text types as text. */
function parseDefault(type: string, expression: string): unknown {
  if (openApiType(type) === 'string') {
    const suffix = `::${type}`
    const literal = expression.endsWith(suffix)
      ? expression.slice(0, -suffix.length).replace(/^'+|'+$/g, '')
      : expression
    return tryJson(`"${literal}"`)
  }
  return tryJson(expression)
}
