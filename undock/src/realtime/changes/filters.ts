import type { Db } from '../../database/db.ts'
import { identifier, join, keyword, type Sql, sql, statement } from '../../kernel/sql.ts'
import type { Operator } from './params.ts'
import type { TableFilter } from './subscriptions.ts'
import type { Change } from './take.ts'

/** Whether a change passes filters that text can decide; null when one of them needs the database.
 *  A delete is judged by its old row, everything else by its new one, and null never passes. */
export function passesAsText(change: Change, filters: readonly TableFilter[]): boolean | null {
  let known = true
  for (const { column, operator, negate, canonical } of filters) {
    const raw = rowOf(change)[column]
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

const rowOf = (change: Change) => change.record ?? change.old ?? {}

const comparesNull = (operator: Operator) => operator === 'is' || operator === 'isdistinct'

/** The text of a JSON scalar: strings without their quotes. */
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

/** Lets the database decide, as the subscriber's role: operators may be the project's own.
 *  @returns the indices of the changes that pass. */
export async function passingInDatabase(
  db: Db,
  changes: readonly Change[],
  filters: readonly TableFilter[],
  role: string,
): Promise<Set<number>> {
  // Columns by position, so that no name of the project's can meet the index's.
  const rows = changes.map((change, index) => {
    const row = rowOf(change)
    return `{"index":${index}${filters.map(({ column }, at) => `,"c${at}":${row[column] ?? 'null'}`).join('')}}`
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

/** The type is quoted by the database that named it. */
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
