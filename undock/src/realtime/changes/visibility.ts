import type { Db } from '../../database/db.ts'
import type { Log } from '../../kernel/service.ts'
import { identifier, join, keyword, type Statement, sql, statement } from '../../kernel/sql.ts'
import { groupBy } from './group-by.ts'
import type { Table } from './tables.ts'
import type { Change } from './take.ts'

/** Somebody whose row security is asked about some changes. */
export type Caller = {
  readonly role: string
  /** JSON. */
  readonly claims: string
  readonly changes: readonly Change[]
}

/** Callers asked for in one crossing to the engine: between two crossings others have their turn. */
const TOGETHER = 25

/** Which of the changed rows row security shows to each caller: those that a select by key finds. A row that is gone
 *  again by now is not shown, as upstream does not show it.
 *  @returns for each caller, in their order, the changes that it may see. */
export async function visibleTo(
  db: Db,
  log: Log,
  table: Table,
  callers: readonly Caller[],
): Promise<ReadonlySet<Change>[]> {
  const answers = new Map<Caller, ReadonlySet<Change>>()
  for (const group of groupBy(callers, ({ role }) => role))
    for (let start = 0; start < group.length; start += TOGETHER) {
      const some = group.slice(start, start + TOGETHER)
      for (const [caller, visible] of await askTogether(db, log, table, some)) answers.set(caller, visible)
    }
  return callers.map((caller) => answers.get(caller) ?? new Set())
}

/** @param callers All of one role. */
async function askTogether(
  db: Db,
  log: Log,
  table: Table,
  callers: readonly Caller[],
): Promise<(readonly [Caller, ReadonlySet<Change>])[]> {
  const [first] = callers
  if (!first) return []
  try {
    const results = await db.run({
      settings: { role: first.role },
      statements: callers.map((caller) => visibleStatement(table, caller)),
    })
    return callers.map((caller, index) => {
      const visible = results[index]?.rows[0]?.visible as number[]
      return [caller, new Set(visible.flatMap((position) => caller.changes[position] ?? []))] as const
    })
  } catch (error) {
    if (callers.length === 1) {
      log.error('A policy failed for a subscriber', error, { table: table.name, role: first.role })
      return []
    }
    // One caller's claims may be all that the policy stumbles over.
    const alone = []
    for (const caller of callers) alone.push(...(await askTogether(db, log, table, [caller])))
    return alone
  }
}

function visibleStatement(table: Table, { claims, changes }: Caller): Statement {
  const key = table.columns.filter(({ isKey }) => isKey)
  const rows = changes.map(
    ({ record }, index) =>
      `{"index":${index}${key.map(({ name }, at) => `,"k${at}":${record?.[name] ?? 'null'}`).join('')}}`,
  )
  // The types' names come quoted from the database.
  const shape = join([sql`index int`, ...key.map(({ sqlType }, at) => sql`${position(at)} ${keyword(sqlType)}`)])
  const same = join(
    key.map(({ name }, at) => sql`t.${identifier(name)} = c.${position(at)}`),
    ' and ',
  )
  // CASE keeps the order: the claims are there before a policy asks for them. One statement instead of two halves the
  // work of asking for hundreds.
  return statement(sql`
    select case when set_config('request.jwt.claims', ${claims}, true) is not null then array(
      select c.index from jsonb_to_recordset(${`[${rows.join(',')}]`}::text::jsonb) as c(${shape})
      where exists (select from ${identifier(table.schema, table.name)} t where ${same})
    ) end as visible`)
}

const position = (at: number) => identifier(`k${at}`)
