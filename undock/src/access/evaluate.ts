import { identifier, join, keyword, sql } from '../kernel/sql.ts'
import type { PostgresFault, Trial } from './caller-session.ts'
import { type Condition, nodesOf, type Operands } from './condition.ts'
import { type Relation, relationSql } from './relation.ts'
import { arrayOf, type StoredRow } from './rows.ts'

/** The value of an expression for one row; a fault where Postgres could not compute it. */
export type Value = boolean | null | PostgresFault

/** The values of each node of a condition, one for each row, computed as the caller would. */
export type Values = ReadonlyMap<Condition, readonly Value[]>

/** Evaluates conditions on rows with the caller's rights, also on rows that the caller cannot see: they are passed in, so that
 *  only the conditions' own subqueries are subject to row security. */
export async function evaluateConditions(
  trial: Trial,
  relation: Relation,
  rows: readonly StoredRow[],
  conditions: readonly Condition[],
): Promise<Values> {
  const nodes = conditions.flatMap(nodesOf)
  if (rows.length === 0 || nodes.length === 0) return new Map(nodes.map((node) => [node, []]))
  const all = await evaluateTogether(trial, relation, rows, nodes)
  if (all) return all
  // One of them fails: each alone tells which.
  const values = new Map<Condition, readonly Value[]>()
  for (const node of nodes) values.set(node, await evaluateAlone(trial, relation, rows, node))
  return values
}

async function evaluateTogether(
  trial: Trial,
  relation: Relation,
  rows: readonly StoredRow[],
  nodes: readonly Condition[],
): Promise<Values | null> {
  const outcome = await trial.asCaller<{ values: (boolean | null)[] }>(
    sql`select array[${join(nodes.map(({ text }) => sql`(${keyword(text)})::boolean`))}] as values
      from ${rowsSql(relation, rows)}`,
  )
  if (!outcome.ok) return null
  const table = outcome.result.rows.map(({ values }) => values)
  return new Map(nodes.map((node, index) => [node, table.map((values) => values[index] ?? null)]))
}

async function evaluateAlone(
  trial: Trial,
  relation: Relation,
  rows: readonly StoredRow[],
  { text }: Condition,
): Promise<Value[]> {
  const values: Value[] = []
  for (const row of rows) {
    const outcome = await trial.asCaller<{ value: boolean | null }>(
      sql`select (${keyword(text)})::boolean as value from ${rowsSql(relation, [row])}`,
    )
    values.push(outcome.ok ? (outcome.result.rows[0]?.value ?? null) : outcome.fault)
  }
  return values
}

/** The two sides of a comparison for one row as text; null where Postgres says NULL, undefined where a side is no value. */
export async function evaluateOperands(
  trial: Trial,
  relation: Relation,
  row: StoredRow,
  { left, right }: Operands,
): Promise<readonly [left: string | null | undefined, right: string | null | undefined]> {
  const evaluate = async (side: string | null) => {
    if (side === null) return undefined
    const outcome = await trial.asCaller<{ value: string | null }>(
      sql`select (${keyword(side)})::text as value from ${rowsSql(relation, [row])}`,
    )
    return outcome.ok ? outcome.result.rows[0]?.value : undefined
  }
  return [await evaluate(left), await evaluate(right)]
}

/** Rows as if they stood in the relation: under its name, with its row type. */
const rowsSql = (relation: Relation, rows: readonly StoredRow[]) =>
  sql`unnest(${arrayOf(rows)}::${relationSql(relation)}[]) as ${identifier(relation.name)}`
