import type { Db } from '../../database/db.ts'
import { identifier, join, keyword, sql, statement } from '../../kernel/sql.ts'
import type { Table } from './tables.ts'
import type { Change } from './take.ts'

/** Which of the changed rows row security shows to one caller: those that a select by key finds, all in one
 *  statement. A row that is gone again by now is not shown, as upstream does not show it.
 *  @param claims JSON.
 *  @returns the indices of the visible changes. */
export async function visibleChanges(
  db: Db,
  table: Table,
  changes: readonly Change[],
  role: string,
  claims: string,
): Promise<Set<number>> {
  const key = table.columns.filter(({ isKey }) => isKey)
  const rows = changes.map(
    ({ record }, index) =>
      `{"index":${index}${key.map(({ name }, at) => `,"k${at}":${record?.[name] ?? 'null'}`).join('')}}`,
  )
  // The types' names come quoted from the database.
  const shape = join([
    sql`index int`,
    ...key.map(({ sqlType }, at) => sql`${identifier(`k${at}`)} ${keyword(sqlType)}`),
  ])
  const same = join(
    key.map(({ name }, at) => sql`t.${identifier(name)} = c.${identifier(`k${at}`)}`),
    ' and ',
  )
  const [result] = await db.run({
    settings: { role, 'request.jwt.claims': claims },
    statements: [
      statement(sql`
        select c.index from jsonb_to_recordset(${`[${rows.join(',')}]`}::text::jsonb) as c(${shape})
        where exists (select from ${identifier(table.schema, table.name)} t where ${same})`),
    ],
  })
  return new Set(result?.rows.map(({ index }) => index as number))
}
