import { ApiError, type Cell, type Statement, type WriteOptions, write } from '../../lib/api.ts'
import { arrayLiteral, ident, qualified } from '../../lib/sql.ts'
import type { Column, RelationDetail } from '../catalog.ts'

/** The values of a row's primary key, in the key's order. */
export type RowKey = readonly Cell[]

export const keyOf = ({ columns, key }: RelationDetail, cells: readonly Cell[]): RowKey =>
  key.map((name) => cells[columns.findIndex((column) => column.name === name)] ?? null)

/** A new value of one cell. `undefined` means the column's default. */
export type CellChange = { readonly key: RowKey; readonly column: Column; readonly value: Cell }

/** Why rows can't be changed here; null if they can. */
export function whyReadOnly({ kind, key }: RelationDetail): string | null {
  if (kind === 'v' || kind === 'm') return 'To change rows of a view, change its tables.'
  return key.length > 0
    ? null
    : 'This table has no primary key, so its rows cannot be told apart. Change them with SQL.'
}

/** Changes cells, all or none. @throws {ApiError | RowGoneError} */
export const changeCells = (
  relation: RelationDetail,
  changes: readonly CellChange[],
  as: string | undefined,
): Promise<void> =>
  writeRows(
    changes.map((change) => updateStatement(relation, change)),
    { as },
  )

/** Without a cast, Postgres refuses a value that is too long; a cast would truncate it. */
export function updateStatement(relation: RelationDetail, { key, column, value }: CellChange): Statement {
  return {
    text: `update ${qualified(relation.schema, relation.name)} set ${ident(column.name)} = $1\nwhere ${keyCondition(relation, 2)}`,
    values: [value, ...key],
    changes: 1,
  }
}

/** Values of one column for some rows. */
export type ColumnChange = {
  readonly column: Column
  readonly rows: readonly { readonly key: RowKey; readonly before: Cell; readonly value: Cell }[]
}

/** Sets the value of each given row, all or none. @throws {ApiError | RowGoneError} */
export const changeColumn = (relation: RelationDetail, change: ColumnChange, as: string | undefined): Promise<void> =>
  writeRows([columnStatement(relation, change)], { as })

/** One statement for any number of rows. */
export function columnStatement(relation: RelationDetail, { column, rows }: ColumnChange): Statement {
  const keys = keyTable(
    relation,
    rows.map(({ key }) => key),
    2,
  )
  return {
    text: [
      `update ${qualified(relation.schema, relation.name)} t set ${ident(column.name)} = k.value::${column.baseType}`,
      `from unnest($1::text[], ${keys.arrays}) k (value, ${keys.names})`,
      `where ${keys.condition}`,
    ].join('\n'),
    values: [arrayLiteral(rows.map(({ value }) => value)), ...keys.values],
    changes: rows.length,
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
export const deleteRows = (relation: RelationDetail, keys: readonly RowKey[], options: WriteOptions): Promise<void> =>
  writeRows([deleteStatement(relation, keys)], options)

export function deleteStatement(relation: RelationDetail, keys: readonly RowKey[]): Statement {
  const { arrays, names, condition, values } = keyTable(relation, keys, 1)
  return {
    text: `delete from ${qualified(relation.schema, relation.name)} t\nusing unnest(${arrays}) k (${names})\nwhere ${condition}`,
    values,
    changes: keys.length,
  }
}

/** Keys as arrays, one for each column of the key. @param first The number of the first parameter. */
function keyTable({ columns, key }: RelationDetail, keys: readonly RowKey[], first: number) {
  const typeOf = (name: string) => columns.find((column) => column.name === name)?.baseType ?? 'text'
  return {
    arrays: key.map((_, n) => `$${first + n}::text[]`).join(', '),
    names: key.map((_, n) => `key_${n}`).join(', '),
    condition: key.map((name, n) => `t.${ident(name)} = k.key_${n}::${typeOf(name)}`).join(' and '),
    values: key.map((_, n) => arrayLiteral(keys.map((one) => one[n] ?? null))),
  }
}

const OTHER_ROWS = 409

async function writeRows(statements: readonly Statement[], options: WriteOptions): Promise<void> {
  try {
    await write(statements, options)
  } catch (error) {
    throw error instanceof ApiError && error.status === OTHER_ROWS ? new RowGoneError(options.as) : error
  }
}

function keyCondition({ columns, key }: RelationDetail, first: number): string {
  const typeOf = (name: string) => columns.find((column) => column.name === name)?.baseType ?? 'text'
  return key.map((name, n) => `${ident(name)} = $${first + n}::${typeOf(name)}`).join(' and ')
}

/** A statement affected fewer rows than expected. */
class RowGoneError extends Error {
  override readonly name = 'RowGoneError'
  constructor(as: string | undefined) {
    super(
      as === undefined
        ? 'A row was changed or deleted in the meantime. Nothing was changed. Reload the table.'
        : `Row security does not let ${as} change this row, or it was deleted. Nothing was changed.`,
    )
  }
}
