import type { Db } from '../../database/db.ts'
import type { Log } from '../../kernel/service.ts'
import { identifier, keyword, type Statement, sql } from '../../kernel/sql.ts'
import { isTransient } from '../errors.ts'
import type { RowChange } from './change-queue.ts'
import {
  findSuperseded,
  keyLookup,
  type PolicySubject,
  permittedStatement,
  policiesOf,
  ROW,
} from './superseded-changes.ts'
import type { Table } from './tables.ts'

/** Subjects per round trip; the engine serves other clients in between. */
const TOGETHER = 25

/** Applies row security to changed rows by selecting them by key. Like upstream, rows deleted by now aren't shown. Rows
 *  changed again are shown only to callers whose policies would have shown the earlier version.
 *  @returns for each caller, in order, the visible changes. */
export async function visibleTo(
  db: Db,
  log: Log,
  table: Table,
  callers: readonly PolicySubject[],
): Promise<ReadonlySet<RowChange>[]> {
  const answers = new Map<PolicySubject, ReadonlySet<RowChange>>()
  const ask = async (asked: readonly PolicySubject[], question: Question): Promise<void> => {
    for (const group of groupBy(asked, ({ role }) => role))
      for (let start = 0; start < group.length; start += TOGETHER) {
        const some = group.slice(start, start + TOGETHER)
        for (const [caller, visible] of await askTogether(db, log, { table, callers: some, question }))
          answers.set(caller, visible)
      }
  }
  await ask(callers, visibleStatement)
  const superseded = await findSuperseded(db, table, new Set(callers.flatMap(({ changes }) => changes)))
  if (superseded.size > 0) {
    const inDoubt = callers.flatMap((caller) => {
      const visible = answers.get(caller) ?? new Set()
      const changes = caller.changes.filter((change) => visible.has(change) && superseded.has(change))
      return changes.length > 0 ? [{ caller, visible, doubtful: { ...caller, changes } }] : []
    })
    const roles = [...new Set(inDoubt.map(({ caller }) => caller.role))]
    const conditions = await policiesOf(db, table, roles)
    await ask(
      inDoubt.map(({ doubtful }) => doubtful),
      (asked, of) => permittedStatement(asked, of, conditions.get(of.role) ?? keyword('false')),
    )
    for (const { caller, visible, doubtful } of inDoubt) {
      const permitted = answers.get(doubtful)
      answers.set(caller, new Set([...visible].filter((change) => !superseded.has(change) || permitted?.has(change))))
    }
  }
  return callers.map((caller) => answers.get(caller) ?? new Set())
}

/** Builds a statement that returns the positions of a subject's visible changes. */
type Question = (table: Table, caller: PolicySubject) => Statement

async function askTogether(
  db: Db,
  log: Log,
  {
    table,
    callers,
    question,
  }: { readonly table: Table; readonly callers: readonly PolicySubject[]; readonly question: Question },
): Promise<(readonly [PolicySubject, ReadonlySet<RowChange>])[]> {
  const [first] = callers
  if (!first) return []
  try {
    const results = await db.run({
      settings: { role: first.role },
      statements: callers.map((caller) => question(table, caller)),
    })
    return callers.map((caller, index) => {
      const visible = results[index]?.rows[0]?.visible as number[]
      return [caller, new Set(visible.flatMap((position) => caller.changes[position] ?? []))] as const
    })
  } catch (error) {
    if (isTransient(error)) throw error
    if (callers.length === 1) {
      log.error('A policy failed for a subscriber', error, { table: table.name, role: first.role })
      return []
    }
    // A policy may fail for one subject's claims only.
    const alone = []
    for (const caller of callers) alone.push(...(await askTogether(db, log, { table, callers: [caller], question })))
    return alone
  }
}

function visibleStatement(table: Table, { claims, changes }: PolicySubject): Statement {
  const { rows, shape, same } = keyLookup(table, changes)
  // CASE guarantees that claims are set before a policy reads them. One statement instead of two halves the work for
  // hundreds of subjects.
  return sql`
    select case when set_config('request.jwt.claims', ${claims}, true) is not null then array(
      select c.index from jsonb_to_recordset(${rows}::text::jsonb) as c(${shape})
      where exists (select from ${identifier(table.schema, table.name)} ${ROW} where ${same})
    ) end as visible`
}

/** Groups items in order of first occurrence. */
export function groupBy<T>(items: Iterable<T>, by: (item: T) => unknown): T[][] {
  const groups = new Map<unknown, T[]>()
  for (const item of items) {
    const key = by(item)
    const group = groups.get(key)
    if (group) group.push(item)
    else groups.set(key, [item])
  }
  return [...groups.values()]
}
