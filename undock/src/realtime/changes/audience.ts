import type { Db } from '../../database/db.ts'
import type { Log } from '../../kernel/service.ts'
import { identifier, join, keyword, type Sql, sql } from '../../kernel/sql.ts'
import { isTransient } from '../errors.ts'
import { type RowChange, valueIn } from './change-queue.ts'
import type { Operator } from './params.ts'
import type { TableFilter, TableSubscription } from './subscriptions.ts'
import type { PolicySubject } from './superseded-changes.ts'
import type { Table } from './tables.ts'
import { groupBy, visibleTo } from './visibility.ts'

export type Audience = Map<RowChange, TableSubscription[]>

/** Finds the subscribers of each change: filters first, each evaluated once, then row security, once per role and
 *  claims. Changes whose evaluation fails are logged and not sent. */
export async function findAudience(
  db: Db,
  log: Log,
  {
    table,
    changes,
    subscriptions,
    onWithheld,
  }: {
    readonly table: Table
    readonly changes: readonly RowChange[]
    readonly subscriptions: Iterable<TableSubscription>
    /** Called for each subscriber that misses a change it asked for. */
    readonly onWithheld?: (change: RowChange, subscription: TableSubscription, reason: 'filter' | 'policy') => void
  },
): Promise<Audience> {
  const wanted: { subscription: TableSubscription; passing: readonly RowChange[] }[] = []
  for (const alike of groupBy(subscriptions, ({ role, action, filters }) => JSON.stringify([role, action, filters]))) {
    const passing = await passingChanges(db, log, changes, alike[0] as TableSubscription)
    if (onWithheld) {
      const left = changes.filter(
        (change) => isAskedFor(change, alike[0] as TableSubscription) && !passing.includes(change),
      )
      for (const change of left) for (const subscription of alike) onWithheld(change, subscription, 'filter')
    }
    if (passing.length > 0) wanted.push(...alike.map((subscription) => ({ subscription, passing })))
  }
  const callers = groupBy(wanted, ({ subscription }) => callerKey(subscription)).flatMap((group) => {
    const [{ subscription }] = group as [(typeof group)[number]]
    const asked = new Set(
      group.flatMap(({ passing }) => passing.filter((change) => isGuarded(table, change, subscription))),
    )
    return asked.size > 0 ? [{ role: subscription.role, claims: subscription.claims, changes: [...asked] }] : []
  })
  const visible = await visibleTo(db, log, table, callers)
  const seen = new Map<string, ReadonlySet<RowChange>>(
    callers.map((caller: PolicySubject, index) => [callerKey(caller), visible[index] ?? new Set()]),
  )
  const audience: Audience = new Map()
  for (const { subscription, passing } of wanted) {
    const shown = seen.get(callerKey(subscription))
    for (const change of passing) {
      if (isGuarded(table, change, subscription) && !shown?.has(change)) {
        onWithheld?.(change, subscription, 'policy')
        continue
      }
      const present = audience.get(change)
      if (present) present.push(subscription)
      else audience.set(change, [subscription])
    }
  }
  return audience
}

const callerKey = ({ role, claims }: Pick<TableSubscription, 'role' | 'claims'>) => `${role}\n${claims}`

/** Whether row security applies. It can't for deleted rows, nor if the subscriber can't read the table's key: then it
 *  gets an error instead of the row. */
function isGuarded(table: Table, { action }: RowChange, { role }: TableSubscription): boolean {
  const key = table.columns.filter(({ isKey }) => isKey)
  return (
    table.hasRowSecurity && action !== 'DELETE' && key.length > 0 && key.every(({ readers }) => readers.includes(role))
  )
}

const isAskedFor = (change: RowChange, { action }: Pick<TableSubscription, 'action'>): boolean =>
  action === '*' || change.action === action

async function passingChanges(
  db: Db,
  log: Log,
  changes: readonly RowChange[],
  { action, filters, role }: TableSubscription,
): Promise<readonly RowChange[]> {
  const acted = changes.filter((change) => isAskedFor(change, { action }))
  if (filters.length === 0) return acted
  const judged = new Map(acted.map((change) => [change, matchesAsText(change, filters)]))
  const open = acted.filter((change) => judged.get(change) === null)
  if (open.length > 0) {
    const passed = await matchingInDatabase(db, open, filters, role).catch((error) => {
      if (isTransient(error)) throw error
      log.error('A filter failed for a subscriber', error, { role })
      return new Set<number>()
    })
    for (const [index, change] of open.entries()) judged.set(change, passed.has(index))
  }
  return acted.filter((change) => judged.get(change))
}

/** Evaluates filters by comparing text; returns null if one needs the database. Deletes are matched by the old row,
 *  other changes by the new one; null never matches. */
function matchesAsText(change: RowChange, filters: readonly TableFilter[]): boolean | null {
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
async function matchingInDatabase(
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
      sql`select c.index from jsonb_to_recordset(${`[${rows.join(',')}]`}::text::jsonb) as c(${shape}) where ${condition}`,
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
