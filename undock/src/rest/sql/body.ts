import { type Sql, sql } from '../../kernel/sql.ts'
import {
  type MediaHandler,
  type Routine,
  returnsScalar,
  returnsSetOfScalar,
  returnsSingleComposite,
} from '../schema-cache/model.ts'
import { qualified } from './fields.ts'

const ROWS = sql`_postgrest_t`
const SCALARS = sql`_postgrest_t.pgrst_scalar`

/** The response body as one value of any type, whose text goes out as it is.
 *  @param routine The function whose result it is, whose shape decides between a list and a single value. */
export function bodySql(handler: MediaHandler, routine: Routine | null): Sql {
  switch (handler.kind) {
    case 'none':
      return sql`''::text`
    case 'json':
      return jsonBody(routine, false)
    case 'strippedArray':
      return jsonBody(routine, true)
    case 'object': {
      const scalar = routine !== null && returnsScalar(routine)
      return single(scalar ? SCALARS : ROWS, handler.stripNulls)
    }
    case 'csv':
      return CSV
    case 'geojson':
      return sql`json_build_object('type', 'FeatureCollection', 'features', coalesce(json_agg(st_asgeojson(_postgrest_t)::json), '[]'))`
    case 'custom':
      return customBody(handler, routine)
  }
}

function jsonBody(routine: Routine | null, strip: boolean): Sql {
  if (routine === null) return list(ROWS, strip)
  if (returnsSingleComposite(routine)) return single(ROWS, strip)
  if (returnsScalar(routine)) return single(SCALARS, strip)
  return list(returnsSetOfScalar(routine) ? SCALARS : ROWS, strip)
}

const stripped = (value: Sql, strip: boolean): Sql => (strip ? sql`json_strip_nulls(${value})` : value)
const list = (values: Sql, strip: boolean): Sql => sql`coalesce(${stripped(sql`json_agg(${values})`, strip)}, '[]')`
const single = (values: Sql, strip: boolean): Sql =>
  sql`coalesce(${stripped(sql`json_agg(${values})->0`, strip)}, 'null')`

// A record prints as a line of CSV in brackets; its column names come from the first row.
const CSV = sql`(
  select coalesce(string_agg(k.name, ','), '')
  from (select json_object_keys(row_to_json(r)) as name from (select * from pgrst_source limit 1) r) k
) || E'\n' || coalesce(string_agg(substring(_postgrest_t::text, 2, length(_postgrest_t::text) - 2), E'\n'), '')`

function customBody(handler: Extract<MediaHandler, { kind: 'custom' }>, routine: Routine | null): Sql {
  const called = qualified(handler.function)
  if (routine !== null && returnsScalar(routine)) return sql`${called}(${SCALARS})`
  if (handler.target === null) return sql`${called}(${ROWS})`
  return sql`${called}(${ROWS}::${qualified(handler.target)})`
}
