import { join, type Sql, sql } from '../kernel/sql.ts'
import type { CompiledRequest } from './compile.ts'
import type { ReadPlan } from './plan/model.ts'
import { where } from './sql/filters.ts'
import { tableName } from './sql/read.ts'

/** The relation that a request is about. @property where Its filters as SQL; null for all rows. Conditions on embedded
 *  relations are left out. @property embeds Relations that are read with it, as `schema.name`. */
export type RequestTarget = {
  readonly schema: string
  readonly table: string
  readonly where: Sql | null
  readonly embeds: readonly string[]
}

/** @returns null for a request that calls a function or describes the API. */
export function requestTarget({ plan }: CompiledRequest): RequestTarget | null {
  if (plan.kind !== 'read' && plan.kind !== 'mutate') return null
  const { read, target } = plan
  const table = tableName(read)
  const conditions = read.where.map((tree) => where(table, tree, () => sql`true`))
  return {
    schema: target.schema,
    table: target.name,
    where: conditions.length === 0 ? null : join(conditions, ' and '),
    embeds: [...new Set(read.children.flatMap(relationsOf))],
  }
}

const relationsOf = ({ from, children }: ReadPlan): string[] => [
  `${from.schema}.${from.name}`,
  ...children.flatMap(relationsOf),
]
