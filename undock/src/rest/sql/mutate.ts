import { empty, identifier, join, keyword, type Sql, sql } from '../../kernel/sql.ts'
import type { MutatePlan, WhereTree } from '../plan/model.ts'
import type { QualifiedName } from '../schema-cache/model.ts'
import { column, localName, qualified } from './fields.ts'
import { where } from './filters.ts'
import { bodyColumn, bodyColumns, fromJsonBody } from './json-body.ts'

type Insert = Extract<MutatePlan, { kind: 'insert' }>
type Update = Extract<MutatePlan, { kind: 'update' }>

export function mutateSql(plan: MutatePlan): Sql {
  switch (plan.kind) {
    case 'insert':
      return insertSql(plan)
    case 'update':
      return updateSql(plan)
    case 'delete':
      return sql`delete from ${qualified(plan.from)}${whereAll(plan.from, plan.where)}${returningSql(plan.from, plan.returning)}`
  }
}

/** Counts inserted rows in a setting, because RETURNING can't distinguish them from updated ones. Always true. */
const COUNT_INSERTED = countInserted('+', '0')
const COUNT_UPDATED = countInserted('-', '-1')

function countInserted(sign: '+' | '-', never: '0' | '-1'): Sql {
  const current = sql`nullif(current_setting('pgrst.inserted', true), '')::int`
  return sql`set_config('pgrst.inserted', (coalesce(${current}, 0) ${keyword(sign)} 1)::text, true) <> '${keyword(never)}'`
}

function insertSql({ into, columns, body, onConflict, where: conditions, returning, applyDefaults }: Insert): Sql {
  const isPut = conditions.length > 0
  const merges = onConflict?.resolution === 'merge-duplicates'
  const names = columns.length === 0 ? empty : sql`(${join(columns.map(({ name }) => identifier(name)))})`
  const select = sql`select ${bodyColumns(columns)} ${fromJsonBody(body, columns, { applyDefaults, firstOnly: false })}`
  const matches = conditions.map((tree) => where(localName('pgrst_body'), tree))
  const filter = isPut || merges ? sql` where ${join([COUNT_INSERTED, ...matches], ' and ')}` : empty
  return sql`insert into ${qualified(into)}${names} ${select}${filter}${conflictSql(onConflict, columns)}${returningSql(into, returning)}`
}

function conflictSql(onConflict: Insert['onConflict'], columns: Insert['columns']): Sql {
  if (onConflict === null || onConflict.columns.length === 0) return empty
  const target = sql` on conflict (${join(onConflict.columns.map((name) => identifier(name)))})`
  if (onConflict.resolution === 'ignore-duplicates' || columns.length === 0) return sql`${target} do nothing`
  const changes = columns.map(({ name }) => sql`${identifier(name)} = excluded.${identifier(name)}`)
  return sql`${target} do update set ${join(changes)} where ${COUNT_UPDATED}`
}

function updateSql({ table, columns, body, where: conditions, returning, applyDefaults }: Update): Sql {
  if (columns.length === 0) {
    // `{}` changes nothing, and SET can't be empty: return no rows, with the columns that the outer query expects.
    const empties =
      returning.length === 0 ? sql`null` : join(returning.map((name) => column(localName(table.name), name)))
    return sql`select ${empties} from ${qualified(table)} where false`
  }
  const changes = columns.map(({ name }) => sql`${identifier(name)} = ${bodyColumn(name)}`)
  const from = fromJsonBody(body, columns, { applyDefaults, firstOnly: false })
  return sql`update ${qualified(table)} set ${join(changes)} ${from}${whereAll(table, conditions)}${returningSql(table, returning)}`
}

const whereAll = (table: QualifiedName, conditions: readonly WhereTree[]): Sql =>
  conditions.length === 0
    ? empty
    : sql` where ${join(
        conditions.map((tree) => where(table, tree)),
        ' and ',
      )}`

/** Every mutation returns something, because its rows are counted. */
const returningSql = (table: QualifiedName, returning: readonly string[]): Sql =>
  returning.length === 0 ? sql` returning 1` : sql` returning ${join(returning.map((name) => column(table, name)))}`
