import { restError } from '../errors.ts'
import { isToOne } from '../schema-cache/model.ts'
import type { OrderBy, ReadPlan, WhereTree } from './model.ts'
import { notEmbedded } from './not-found.ts'

const embedded = (plan: ReadPlan, name: string): ReadPlan | undefined =>
  plan.children.find((child) => (child.alias ?? child.name) === name)

/** Resolves `order=clients(name)`: only an embedded to-one resource has one value for each row to order by.
 *  @throws PGRST108, PGRST118 */
export function addRelatedOrders(plan: ReadPlan): ReadPlan {
  const order = plan.order.map((term): OrderBy => {
    if (term.relation === null) return term
    const child = embedded(plan, term.relation)
    if (!child) throw notEmbedded(term.relation)
    const name = child.alias ?? child.name
    if (child.relationship === null || !isToOne(child.relationship)) {
      throw restError('PGRST118', [name], {
        details: `'${plan.from.name}' and '${name}' do not form a many-to-one or one-to-one relationship`,
      })
    }
    return { ...term, relation: child.aggregateAlias }
  })
  return { ...plan, order, children: plan.children.map(addRelatedOrders) }
}

/** Resolves `clients=is.null`: where `clients` is embedded, it asks whether the resource has rows, not for a column. */
export function addEmbedFilters(plan: ReadPlan): ReadPlan {
  const change = (tree: WhereTree): WhereTree => {
    if (tree.kind === 'logic') return { ...tree, operands: tree.operands.map(change) }
    if (tree.kind !== 'filter' || tree.field.path.length > 0) return tree
    const { not, operation } = tree.condition
    const child = embedded(plan, tree.field.name)
    if (!child || operation.kind !== 'is' || operation.operand !== 'null') return tree
    return { kind: 'embedIsNull', not, alias: child.aggregateAlias }
  }
  return { ...plan, where: plan.where.map(change), children: plan.children.map(addEmbedFilters) }
}
