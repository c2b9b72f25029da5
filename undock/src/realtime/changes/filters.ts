import type { Db } from '../../database/db.ts'
import { identifier, join, keyword, type Sql, sql, statement } from '../../kernel/sql.ts'
import { type RowChange, valueIn } from './change-queue.ts'
import type { Operator } from './params.ts'
import type { TableFilter } from './subscriptions.ts'

/** Evaluates filters by comparing text; returns null if one needs the database. Deletes are matched by the old row,
 *  other changes by the new one; null never matches. */
export function matchesAsText(change: RowChange, filters: readonly TableFilter[]): boolean | null {
  let known = true
  for (const { column, operator, negate, canonical } of filters) {
    const raw = valueIn(rowOf(change), column)
    if (raw === undefined || raw === 'null') {
      if (!comparesNull(operator)) return false
      known = false
    } else if (canonical === null) {
      known = false
    } else {
      const holds = canonical.includes(scalarText(raw)) !== (operator === 'neq')
      if (holds === negate) return false
    }
  }
  return known ? true : null
}

const rowOf = (change: RowChange) => change.record ?? change.old

const comparesNull = (operator: Operator) => operator === 'is' || operator === 'isdistinct'

const scalarText = (raw: string): string => (raw.startsWith('"') ? (JSON.parse(raw) as string) : raw)

const SYMBOLS = {
  eq: keyword('='),
  neq: keyword('<>'),
  lt: keyword('<'),
  lte: keyword('<='),
  gt: keyword('>'),
  gte: keyword('>='),
  like: keyword('like'),
  ilike: keyword('ilike'),
  match: keyword('~'),
  imatch: keyword('~*'),
} as const satisfies Partial<Record<Operator, Sql>>

const IS_OPERAND: Readonly<Record<string, Sql>> = {
  null: sql`null`,
  true: sql`true`,
  false: sql`false`,
  unknown: sql`unknown`,
}

/** Evaluates filters in the database as the subscriber's role, because operators may be user-defined.
 *  @returns the indices of matching changes. */
export async function matchingInDatabase(
  db: Db,
  changes: readonly RowChange[],
  filters: readonly TableFilter[],
  role: string,
): Promise<Set<number>> {
  // Positional names can't clash with the project's columns.
  const rows = changes.map((change, index) => {
    const row = rowOf(change)
    return `{"index":${index}${filters.map(({ column }, at) => `,"c${at}":${valueIn(row, column) ?? 'null'}`).join('')}}`
  })
  const shape = join([sql`index int`, ...filters.map(({ type }, at) => sql`${position(at)} ${keyword(type)}`)])
  const condition = join(filters.map(filterToSql), ' and ')
  const [result] = await db.run({
    settings: { role },
    statements: [
      statement(
        sql`select c.index from jsonb_to_recordset(${`[${rows.join(',')}]`}::text::jsonb) as c(${shape}) where ${condition}`,
      ),
    ],
  })
  return new Set(result?.rows.map(({ index }) => index as number))
}

const position = (at: number) => identifier(`c${at}`)

/** The database returned the type's name quoted. */
function filterToSql({ operator, value, negate, type }: TableFilter, at: number): Sql {
  const left = sql`c.${position(at)}`
  const right = sql`${value}::${keyword(type)}`
  const condition = (() => {
    switch (operator) {
      case 'is':
        return sql`${left} is ${IS_OPERAND[value] ?? IS_OPERAND.null}`
      case 'isdistinct':
        return sql`${left} is distinct from ${right}`
      case 'in':
        return sql`${left} = any (${value}::${keyword(type)}[])`
      default:
        return sql`${left} ${SYMBOLS[operator]} ${right}`
    }
  })()
  return negate ? sql`not (${condition})` : condition
}
