import type { Db } from '../../database/db.ts'
import type { Log } from '../../kernel/service.ts'
import type { RowChange } from './change-queue.ts'
import { matchesAsText, matchingInDatabase } from './filters.ts'
import { groupBy } from './group-by.ts'
import type { TableSubscription } from './subscriptions.ts'
import type { PolicySubject } from './superseded-changes.ts'
import type { Table } from './tables.ts'
import { isTransient } from './transient-errors.ts'
import { visibleTo } from './visibility.ts'

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
