import { type QualifiedName, representationKey, type SchemaCache } from '../schema-cache/model.ts'
import { SOURCE_CTE } from './embeds.ts'
import type { ReadPlan, ResolvedField, SelectField } from './model.ts'
import { columnField, columnsOf, type Scope, withOutputFormat } from './resolve.ts'

/** Expands `*` next to an aggregate, in a to-many spread, and if a column has its own representation. */
export function expandStars(root: ReadPlan, target: QualifiedName, cache: SchemaCache): ReadPlan {
  const expand = (plan: ReadPlan, aggregated: boolean): ReadPlan => {
    const grouped =
      aggregated || plan.select.some(({ aggregate }) => aggregate !== null) || plan.spread?.kind === 'to-many'
    const isSource = plan.from.schema === '' && plan.from.name === SOURCE_CTE
    const table = isSource ? { schema: target.schema, name: plan.fromAlias ?? target.name } : plan.from
    return {
      ...plan,
      select: expandOne(plan, grouped, { cache, table }),
      children: plan.children.map((child) => expand(child, grouped)),
    }
  }
  return expand(root, false)
}

function expandOne({ select, spread }: ReadPlan, grouped: boolean, scope: Scope): readonly SelectField[] {
  const isSpread = spread !== null
  const hasStar = select.some(
    ({ field, aggregate }) => field.name === '*' && (aggregate === null || (isSpread && aggregate === 'count')),
  )
  if (!hasStar) return select
  const columns = columnsOf(scope)
  const represented = columns.some(({ nominalType }) =>
    scope.cache.representations.has(representationKey(nominalType, 'json')),
  )
  if (!grouped && !represented) return select
  return select.flatMap((item) => {
    if (item.field.name !== '*' || item.field.path.length > 0) return [item]
    if (item.aggregate === null) {
      return columns.map((column) => ({ ...item, field: withOutputFormat(scope, columnField(column)) }))
    }
    return isSpread && item.aggregate === 'count' ? [{ ...item, field: { ...item.field, fullRow: true } }] : [item]
  })
}

/** Names otherwise unnamed columns: JSON paths get their last key, columns with a representation keep their name. */
export const addAliases = (plan: ReadPlan): ReadPlan => ({
  ...plan,
  select: plan.select.map((item) => ({ ...item, alias: aliasOf(item, plan.spread !== null) })),
  children: plan.children.map(addAliases),
})

function aliasOf({ alias, aggregate, field }: SelectField, isSpread: boolean): string | null {
  if (alias !== null) return alias
  if (aggregate !== null) return isSpread ? aggregate : null
  if (field.path.length > 0) return lastKey(field)
  return field.transform === null ? null : field.name
}

const lastKey = ({ name, path }: ResolvedField): string =>
  path.findLast(({ operand }) => operand.kind === 'key')?.operand.value ?? name

/** Returns whether the request selects the default columns, as custom media handlers require. */
export const hasDefaultSelect = ({ select, children }: ReadPlan): boolean =>
  select.length === 1 && select[0]?.field.name === '*' && children.length === 0

/** Returns the columns that a mutation's or call's CTE must return for the read on top of it.
 *  @returns `['*']` if they can't be listed. */
export function columnsNeeded({ select, children }: ReadPlan, primaryKey: readonly string[]): readonly string[] {
  const names = new Set(select.map(({ field }) => field.name))
  if (names.has('*')) return ['*']
  for (const { relationship } of children) {
    if (relationship === null) continue
    if (relationship.kind === 'computed') return ['*']
    const { cardinality } = relationship
    const pairs = cardinality.kind === 'many-to-many' ? cardinality.junction.sourceColumns : cardinality.columns
    for (const [own] of pairs) names.add(own)
  }
  for (const column of primaryKey) names.add(column)
  return [...names].sort()
}
