import type { Db } from '../../database/db.ts'
import type { Log } from '../../kernel/service.ts'
import { identifier, keyword, type Statement, sql, statement } from '../../kernel/sql.ts'
import type { RowChange } from './change-queue.ts'
import { groupBy } from './group-by.ts'
import {
  findSuperseded,
  keyLookup,
  type PolicySubject,
  permittedStatement,
  policiesOf,
  ROW,
} from './superseded-changes.ts'
import type { Table } from './tables.ts'
import { isTransient } from './transient-errors.ts'

/** Subjects in one round trip to the engine; between two round trips other clients are answered. */
const TOGETHER = 25

/** Which of the changed rows row security shows to each caller: those that a select by key finds. A row that is gone
 *  again by now is not shown, as upstream does not show it; one that has changed again is shown only to those whom the
 *  policies would have shown what it was.
 *  @returns for each caller, in their order, the changes that it may see. */
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
  // Determined last, so that rows which changed during the queries above are included.
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

/** Builds the statement that selects which of a subject's changes it may see: a column `visible` with their positions. */
type Question = (table: Table, caller: PolicySubject) => Statement

/** @param callers All have the same role. */
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
    // The policy may fail for the claims of one subject only.
    const alone = []
    for (const caller of callers) alone.push(...(await askTogether(db, log, { table, callers: [caller], question })))
    return alone
  }
}

function visibleStatement(table: Table, { claims, changes }: PolicySubject): Statement {
  const { rows, shape, same } = keyLookup(table, changes)
  // CASE keeps the order: the claims are there before a policy asks for them. One statement instead of two halves the
  // work of asking for hundreds.
  return statement(sql`
    select case when set_config('request.jwt.claims', ${claims}, true) is not null then array(
      select c.index from jsonb_to_recordset(${rows}::text::jsonb) as c(${shape})
      where exists (select from ${identifier(table.schema, table.name)} ${ROW} where ${same})
    ) end as visible`)
}
