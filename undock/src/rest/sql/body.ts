import { type Sql, sql } from '../../kernel/sql.ts'
import {
  type MediaHandler,
  type Routine,
  returnsScalar,
  returnsSetOfScalar,
  returnsSingleComposite,
} from '../schema-cache/model.ts'
import { qualified } from './fields.ts'

type NullHandling = { readonly stripNulls: boolean }
const KEEP_NULLS: NullHandling = { stripNulls: false }
const STRIP_NULLS: NullHandling = { stripNulls: true }

const ROWS = sql`_postgrest_t`
const SCALARS = sql`_postgrest_t.pgrst_scalar`

/** Builds the response body as one value of any type, whose text is sent unchanged.
 *  @param routine The called function, whose return type decides between a list and a single value. */
export function bodySql(handler: MediaHandler, routine: Routine | null): Sql {
  switch (handler.kind) {
    case 'none':
      return sql`''::text`
    case 'json':
      return jsonBody(routine, KEEP_NULLS)
    case 'strippedArray':
      return jsonBody(routine, STRIP_NULLS)
    case 'object': {
      const scalar = routine !== null && returnsScalar(routine)
      return single(scalar ? SCALARS : ROWS, handler)
    }
    case 'csv':
      return CSV
    case 'geojson':
      return sql`json_build_object('type', 'FeatureCollection', 'features', coalesce(json_agg(st_asgeojson(_postgrest_t)::json), '[]'))`
    case 'custom':
      return customBody(handler, routine)
  }
}

function jsonBody(routine: Routine | null, nulls: NullHandling): Sql {
  if (routine === null) return list(ROWS, nulls)
  if (returnsSingleComposite(routine)) return single(ROWS, nulls)
  if (returnsScalar(routine)) return single(SCALARS, nulls)
  return list(returnsSetOfScalar(routine) ? SCALARS : ROWS, nulls)
}

const stripped = (value: Sql, nulls: NullHandling): Sql => (nulls.stripNulls ? sql`json_strip_nulls(${value})` : value)
const list = (values: Sql, nulls: NullHandling): Sql =>
  sql`coalesce(${stripped(sql`json_agg(${values})`, nulls)}, '[]')`
const single = (values: Sql, nulls: NullHandling): Sql =>
  sql`coalesce(${stripped(sql`json_agg(${values})->0`, nulls)}, 'null')`

// Postgres prints a record as a line of CSV in brackets; the first row provides the column names.
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
