import { empty, identifier, join, keyword, type Sql, sql } from '../kernel/sql.ts'
import type { PostgresFault, Trial, TrialResult } from './caller-session.ts'
import { type Relation, relationSql } from './relation.ts'

const SAMPLE = 100

/** A row as JSON for users, as text of an array of the relation's row type for expressions, and its place in the table. */
export type StoredRow = {
  readonly row: Record<string, unknown>
  readonly array: string
  readonly table: string
  readonly place: string
}

export type Sample = {
  readonly rows: readonly StoredRow[]
  readonly isPart: boolean
}

/** Reads the first rows that match a condition, ignoring row security. @param where Null for all rows. */
export async function readSample(trial: Trial, relation: Relation, where: Sql | null): Promise<Sample | PostgresFault> {
  const name = identifier(relation.name)
  const taken = await trial.asOwner<StoredRow>(sql`
    select to_jsonb(${name}.*) as row, array[${name}.*]::text as array,
      ${name}.tableoid::text as "table", ${name}.ctid::text as place
    from ${relationSql(relation)} ${whereSql(where)} limit ${SAMPLE + 1}`)
  if (!taken.ok) return taken.fault
  const { rows } = taken.result
  return { rows: rows.slice(0, SAMPLE), isPart: rows.length > SAMPLE }
}

/** Returns the row of an INSERT, with defaults and after triggers; without triggers if nothing may be written. */
export async function buildInserted(
  trial: Trial,
  relation: Relation,
  values: object,
): Promise<StoredRow | PostgresFault> {
  const name = identifier(relation.name)
  if (!trial.mayWrite) {
    const source = sql`select (jsonb_populate_record(null::${relationSql(relation)},
      ${defaultsSql(relation, values)} || ${JSON.stringify(values)}::jsonb)).*`
    return onlyRow(await trial.asCaller<StoredRow>(composedSql(source)))
  }
  return onlyRow(
    await trial.asOwner<StoredRow>(
      sql`${insertSql(relation, values)}
      returning to_jsonb(${name}.*) as row, array[${name}.*]::text as array, '' as "table", '' as place`,
      'writes',
    ),
  )
}

const composedSql = (source: Sql): Sql => sql`
  select to_jsonb(composed.*) as row, array[composed.*]::text as array, '' as "table", '' as place
  from (${source}) as composed`

function defaultsSql({ columns }: Relation, values: object): Sql {
  const missing = columns.filter(({ name, preset }) => preset !== null && !Object.hasOwn(values, name))
  const kept = missing.filter(({ preset }) => !/\bnextval\(/.test(preset ?? ''))
  return kept.reduce(
    (built, { name, preset }) => sql`${built} || jsonb_build_object(${name}::text, (${keyword(preset ?? 'null')}))`,
    sql`'{}'::jsonb`,
  )
}

/** Returns the row that an UPDATE makes of a stored one, after triggers; without them if nothing may be written. */
export async function buildUpdated(
  trial: Trial,
  relation: Relation,
  { table, place }: StoredRow,
  values: object,
): Promise<StoredRow | PostgresFault> {
  const name = identifier(relation.name)
  const isPlace = sql`${name}.tableoid = ${table}::oid and ${name}.ctid = ${place}::tid`
  if (!trial.mayWrite) {
    const source = sql`select (jsonb_populate_record(${name}.*, ${JSON.stringify(values)}::jsonb)).*
      from ${relationSql(relation)} where ${isPlace}`
    return onlyRow(await trial.asOwner<StoredRow>(composedSql(source)))
  }
  return onlyRow(
    await trial.asOwner<StoredRow>(
      sql`${updateSql(relation, values)} where ${isPlace}
      returning to_jsonb(${name}.*) as row, array[${name}.*]::text as array, '' as "table", '' as place`,
      'writes',
    ),
  )
}

const NO_ROW: PostgresFault = { code: '02000', message: 'a trigger or a rule skips the row' }

const onlyRow = (outcome: TrialResult<StoredRow>): StoredRow | PostgresFault =>
  outcome.ok ? (outcome.result.rows[0] ?? NO_ROW) : outcome.fault

export const insertSql = (relation: Relation, values: object): Sql => {
  const columns = columnList(values)
  const target = relationSql(relation)
  return Object.keys(values).length === 0
    ? sql`insert into ${target} default values`
    : sql`insert into ${target} (${columns})
        select ${columns} from jsonb_populate_record(null::${target}, ${JSON.stringify(values)}::jsonb)`
}

export const updateSql = (relation: Relation, values: object): Sql => {
  const target = relationSql(relation)
  const columns = columnList(values)
  return sql`update ${target} set (${columns}) =
    (select ${columns} from jsonb_populate_record(null::${target}, ${JSON.stringify(values)}::jsonb))`
}

const columnList = (values: object): Sql => join(Object.keys(values).map((name) => identifier(name)))

export const whereSql = (where: Sql | null): Sql => (where === null ? empty : sql`where (${where})`)

/** Joins rows of a relation into one array of its row type. */
export const arrayOf = (rows: readonly StoredRow[]): string => {
  // Each text is `{"(…)"}`: keep the element's text as Postgres quoted it.
  const elements = rows.map(({ array }) => array.slice(1, -1))
  return `{${elements.join(',')}}`
}
