import { ident, qualified } from '../../lib/sql.ts'
import type { Column, RelationDetail } from '../catalog.ts'
import { alterColumnSql, type ColumnDraft, columnSql, draftOf } from './table-sql.ts'

/** A schema change that the user reviews before it's applied. @property name Its migration's name. */
export type SqlChange = { readonly title: string; readonly sql: string; readonly name: string }

const nameOf = ({ schema, name }: RelationDetail): string => qualified(schema, name)

/** Adds or changes a column as described in a form. The SQL is empty if nothing changes. */
export function columnChange(relation: RelationDetail, column: Column | undefined, draft: ColumnDraft): SqlChange {
  const { name: table } = relation
  if (!column)
    return {
      title: `Add ${draft.name} to ${table}`,
      sql: `alter table ${nameOf(relation)} add column ${columnSql(draft)};`,
      name: `add_${table}_${draft.name}`,
    }
  return {
    title: `Change ${table}.${column.name}`,
    sql: alterColumnSql(relation, draftOf(column, relation), draft),
    name: `change_${table}_${column.name}`,
  }
}

export const indexChange = (relation: RelationDetail, column: string): SqlChange => ({
  title: `Add an index on ${column}`,
  sql: `create index on ${nameOf(relation)} (${ident(column)});`,
  name: `index_${relation.name}_${column}`,
})

export const columnDrop = (relation: RelationDetail, column: string): SqlChange => ({
  title: `Drop ${column}, with all of its values`,
  sql: `alter table ${nameOf(relation)} drop column ${ident(column)};`,
  name: `drop_${relation.name}_${column}`,
})

const KINDS: Readonly<Record<string, string>> = { v: 'view', m: 'materialized view' }

export const tableDrop = (relation: RelationDetail): SqlChange => ({
  title: `Drop ${relation.name}, with all of its rows`,
  sql: `drop ${KINDS[relation.kind] ?? 'table'} ${nameOf(relation)};`,
  name: `drop_${relation.name}`,
})

/** Toggles row security. */
export const rowSecurityChange = (relation: RelationDetail): SqlChange => ({
  title: `Turn row security of ${relation.name} ${relation.rowSecurity ? 'off' : 'on'}`,
  sql: `alter table ${nameOf(relation)} ${relation.rowSecurity ? 'disable' : 'enable'} row level security;`,
  name: `row_security_${relation.name}`,
})
