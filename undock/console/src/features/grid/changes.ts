import { type Cell, type Statement, write } from '../../lib/api.ts'
import { ident, qualified } from '../../lib/sql.ts'
import type { Column, RelationDetail } from '../catalog.ts'

/** The values of a row's primary key, in the key's order. */
export type RowKey = readonly Cell[]

export const keyOf = ({ columns, key }: RelationDetail, cells: readonly Cell[]): RowKey =>
  key.map((name) => cells[columns.findIndex((column) => column.name === name)] ?? null)

/** A new value of one cell. `undefined` stands for the column's default. */
export type Change = { readonly key: RowKey; readonly column: Column; readonly value: Cell }

/** Why rows cannot be changed here; null when they can. */
export function whyReadOnly({ kind, key }: RelationDetail): string | null {
  if (kind === 'v' || kind === 'm') return 'The rows of a view are changed in its tables.'
  return key.length > 0 ? null : 'This table has no primary key, so no single row can be named. Change it by SQL.'
}

/** Changes cells, all or none. @throws {ApiError | RowGoneError} */
export async function changeCells(
  relation: RelationDetail,
  changes: readonly Change[],
  as: string | undefined,
): Promise<void> {
  const results = await write(
    changes.map((change) => updateStatement(relation, change)),
    { as },
  )
  const missed = results.findIndex(({ count }) => count !== 1)
  if (missed >= 0) throw new RowGoneError(as)
}

/** The value has no cast: Postgres refuses one that is too long for the column, where a cast would cut it off. */
export function updateStatement(relation: RelationDetail, { key, column, value }: Change): Statement {
  return {
    text: `update ${qualified(relation.schema, relation.name)} set ${ident(column.name)} = $1\nwhere ${keyCondition(relation, 2)}`,
    values: [value, ...key],
  }
}

/** Inserts a row. Columns without a value get their default. @throws {ApiError} */
export async function insertRow(
  relation: RelationDetail,
  given: ReadonlyMap<string, Cell>,
  as: string | undefined,
): Promise<void> {
  const columns = relation.columns.filter(({ name }) => given.has(name))
  const text =
    columns.length === 0
      ? `insert into ${qualified(relation.schema, relation.name)} default values`
      : `insert into ${qualified(relation.schema, relation.name)} (${columns.map(({ name }) => ident(name)).join(', ')})\nvalues (${columns.map((_, n) => `$${n + 1}`).join(', ')})`
  await write([{ text, values: columns.map(({ name }) => given.get(name) ?? null) }], { as })
}

/** Deletes rows, all or none. @throws {ApiError | RowGoneError} */
export async function deleteRows(
  relation: RelationDetail,
  keys: readonly RowKey[],
  as: string | undefined,
): Promise<void> {
  const text = `delete from ${qualified(relation.schema, relation.name)} where ${keyCondition(relation, 1)}`
  const results = await write(
    keys.map((values) => ({ text, values })),
    { as },
  )
  if (results.some(({ count }) => count !== 1)) throw new RowGoneError(as)
}

function keyCondition({ columns, key }: RelationDetail, first: number): string {
  const typeOf = (name: string) => columns.find((column) => column.name === name)?.baseType ?? 'text'
  return key.map((name, n) => `${ident(name)} = $${first + n}::${typeOf(name)}`).join(' and ')
}

/** A statement for one row changed none. */
export class RowGoneError extends Error {
  override readonly name = 'RowGoneError'
  constructor(as: string | undefined) {
    super(
      as === undefined
        ? 'A row was changed or deleted meanwhile. Reload the table.'
        : `Row security lets ${as} change no such row, or the row is gone. Nothing else was changed.`,
    )
  }
}
