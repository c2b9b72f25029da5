import { restError } from '../errors.ts'
import { isToOne } from '../schema-cache/model.ts'
import type { OrderBy, ReadPlan, WhereTree } from './model.ts'

const embedded = (plan: ReadPlan, name: string): ReadPlan | undefined =>
  plan.children.find((child) => (child.alias ?? child.name) === name)

/** `order=clients(name)`: only a to-one resource of this select has one value a row to order by.
 *  @throws PGRST108, PGRST118 */
export function addRelatedOrders(plan: ReadPlan): ReadPlan {
  const order = plan.order.map((term): OrderBy => {
    if (term.relation === null) return term
    const child = embedded(plan, term.relation)
    if (!child) {
      throw restError('PGRST108', [term.relation], {
        hint: `Verify that '${term.relation}' is included in the 'select' query parameter.`,
      })
    }
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

/** `clients=is.null` where `clients` is embedded asks whether it has rows, not for a column of that name. */
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
