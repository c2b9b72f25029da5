import pg from 'pg'
import type { ForeignKey } from './catalog.ts'
import { ImportError } from './import-error.ts'
import { whyLeftOut } from './plan.ts'

/** Keys that are looked up at the source at a time. */
const BATCH = 10_000

/** A key of a row, column by column, in the text form of its types. */
export type Key = readonly string[]

const { escapeIdentifier: quote, escapeLiteral } = pg

/** The keys of rows that imported rows refer to, and that are not here: at most a batch of them. */
export async function findMissing(target: pg.Client, foreignKey: ForeignKey): Promise<Key[]> {
  const { child, childColumns, parent, parentColumns, operators } = foreignKey
  const columns = childColumns.map((name) => `c.${quote(name)}`)
  const isSame = columns.map(
    (column, index) => `p.${quote(parentColumns[index] ?? '')} operator(${operators[index]}) ${column}`,
  )
  const { rows } = await target.query<{ key: Key }>(
    `select array[${columns.map((column) => `${column}::text`).join(', ')}] as key
     from (select distinct ${columns.join(', ')} from ${child} c
       where ${columns.map((column) => `${column} is not null`).join(' and ')}
         and not exists (select from ${parent} p where ${isSame.join(' and ')}) limit ${BATCH}) c`,
  )
  return rows.map(({ key }) => key)
}

/** A condition for the rows `t` with these keys.
 *  @param types The types of the columns.
 *  @param operators Those that compare them. */
export function hasKey(
  columns: readonly string[],
  { types, operators, keys }: { types: readonly string[]; operators: readonly string[]; keys: readonly Key[] },
): string {
  const lists = columns.map((_, index) => `${escapeLiteral(textArray(keys.map((key) => key[index] ?? '')))}::text[]`)
  const isSame = columns.map(
    (name, index) => `t.${quote(name)} operator(${operators[index]}) k.k${index}::${types[index]}`,
  )
  const names = columns.map((_, index) => `k${index}`).join(', ')
  return `exists (select from unnest(${lists.join(', ')}) k (${names}) where ${isSame.join(' and ')})`
}

const textArray = (values: readonly string[]): string =>
  `{${values.map((value) => `"${value.replaceAll(/["\\]/g, '\\$&')}"`).join(',')}}`

/** @throws {ImportError} always: rows refer to a table whose rows are not imported. */
export function refuseReference({ name, child, parent }: ForeignKey): never {
  throw new ImportError(
    `Rows of ${child} refer to ${parent} (${name}), whose rows are not imported. ${whyLeftOut(parent)}`,
  )
}
