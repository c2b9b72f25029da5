import { identifier, join, keyword, sql } from '../kernel/sql.ts'
import type { PostgresFault, Trial } from './caller-session.ts'
import { type Condition, nodesOf, type Operands } from './condition.ts'
import { type Relation, relationSql } from './relation.ts'
import { arrayOf, type StoredRow } from './rows.ts'

/** An expression's value for one row, or Postgres' error. */
export type Value = boolean | null | PostgresFault

/** Values of each node of a condition, one per row, computed as the caller. */
export type Values = ReadonlyMap<Condition, readonly Value[]>

/** Evaluates conditions with the caller's rights, even on rows that the caller can't see: they're passed in, so that
 *  row security only applies to the conditions' own subqueries. */
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

/** Returns both sides of a comparison for one row as text; null for NULL, undefined if a side isn't a value. */
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

const rowsSql = (relation: Relation, rows: readonly StoredRow[]) =>
  sql`unnest(${arrayOf(rows)}::${relationSql(relation)}[]) as ${identifier(relation.name)}`
