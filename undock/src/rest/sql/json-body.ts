import { empty, identifier, join, keyword, type Sql, sql } from '../../kernel/sql.ts'
import type { ResolvedField } from '../plan/model.ts'
import type { JsonText } from '../request/payload.ts'
import { callFunction, column, localName } from './fields.ts'

const BODY = localName('pgrst_body')

export type JsonBodyOptions = {
  readonly applyDefaults: boolean
  /** Whether only an array's first item counts: a function is called once. */
  readonly firstOnly: boolean
}

/** Writes a FROM clause with a JSON body's rows as `pgrst_body`, a column per field. The body is one parameter in
 *  json's binary format (its text), so that large bodies aren't copied into a string. */
export function fromJsonBody(body: JsonText, fields: readonly ResolvedField[], options: JsonBodyOptions): Sql {
  const { applyDefaults, firstOnly } = options
  const { text, isObject } = body
  const payload = applyDefaults ? sql`${text}::json::jsonb` : sql`${text}::json`
  const source = applyDefaults ? sql`pgrst_json_defs.val` : sql`pgrst_payload.json_data`
  return sql`from (select ${payload} as json_data) pgrst_payload, ${
    applyDefaults ? withDefaults(fields, isObject) : empty
  }lateral (select ${join(fields.map(readColumn))} from ${recordSource(source, fields, { isObject, isJsonb: applyDefaults })}${
    firstOnly && fields.length > 0 ? sql` limit 1` : empty
  }) pgrst_body`
}

export const bodyColumn = (name: string): Sql => column(BODY, name)

export const bodyColumns = (fields: readonly ResolvedField[]): Sql => join(fields.map(({ name }) => bodyColumn(name)))

const readColumn = ({ name, transform }: ResolvedField): Sql =>
  transform === null ? identifier(name) : sql`${callFunction(transform, identifier(name))} as ${identifier(name)}`

function withDefaults(fields: readonly ResolvedField[], isObject: boolean): Sql {
  // Defaults are expressions from Postgres' catalog; no part of them comes from the request.
  const pairs = fields.flatMap(({ name, default: value }) =>
    value === null ? [] : [sql`${name}::text, ${keyword(value)}`],
  )
  const defaults = sql`jsonb_build_object(${join(pairs)})`
  return isObject
    ? sql`lateral (select ${defaults} || pgrst_payload.json_data as val) pgrst_json_defs, `
    : sql`lateral (select jsonb_agg(${defaults} || elem) as val from jsonb_array_elements(pgrst_payload.json_data) elem) pgrst_json_defs, `
}

function recordSource(
  source: Sql,
  fields: readonly ResolvedField[],
  { isObject, isJsonb }: { readonly isObject: boolean; readonly isJsonb: boolean },
): Sql {
  if (fields.length === 0) {
    // `{}` is one row of defaults, `[{}, {}]` are two.
    if (isObject) return sql`(values (1)) _`
    return isJsonb ? sql`jsonb_array_elements(${source}) _` : sql`json_array_elements(${source}) _`
  }
  const typed = join(fields.map(({ name, type }) => sql`${identifier(name)} ${keyword(type)}`))
  const prefix = isJsonb ? 'jsonb' : 'json'
  return sql`${keyword(`${prefix}_to_record${isObject ? '' : 'set'}`)}(${source}) as _(${typed})`
}
