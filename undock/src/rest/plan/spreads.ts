import { restError } from '../errors.ts'
import type { AggregateFunction } from '../request/ast.ts'
import { isToOne } from '../schema-cache/model.ts'
import {
  type OrderBy,
  plainSelect,
  type ReadPlan,
  type RelationSelect,
  type SelectField,
  type SpreadField,
  unknownField,
} from './model.ts'

/** Decides how each resource's embedded resources appear in its row. */
export function addRelationSelects(plan: ReadPlan): ReadPlan {
  const children = plan.children.map(addRelationSelects)
  return { ...plan, children, relationSelect: children.map(relationSelect) }
}

function relationSelect(plan: ReadPlan): RelationSelect {
  if (plan.spread !== null) return { kind: 'spread', alias: plan.aggregateAlias, fields: spreadFields(plan) }
  return {
    kind: plan.relationship !== null && isToOne(plan.relationship) ? 'object' : 'array',
    name: plan.alias ?? plan.name,
    alias: plan.aggregateAlias,
    empty: selectsNothing(plan),
  }
}

const selectsNothing = ({ select, children }: ReadPlan): boolean =>
  select.length === 0 && children.every(selectsNothing)

const spreadField = (name: string): SpreadField => ({ name, aggregate: null, aggregateCast: null, alias: null })

const spreadFields = ({ select, relationSelect: relations }: ReadPlan): SpreadField[] => [
  ...select.map(({ field, alias }) => spreadField(alias ?? field.name)),
  ...relations.flatMap((relation) => (relation.kind === 'spread' ? relation.fields : [spreadField(relation.name)])),
]

/** @throws PGRST123 if any resource uses an aggregate. */
export function refuseAggregates(plan: ReadPlan): void {
  if (plan.select.some(({ aggregate }) => aggregate !== null)) throw restError('PGRST123', [])
  for (const child of plan.children) refuseAggregates(child)
}

type Hoisted = {
  readonly alias: string
  readonly name: string
  readonly aggregate: AggregateFunction
  readonly cast: string | null
  readonly as: string | null
}

/** Moves a to-one spread's aggregates to its parent, because the spread has only one row. */
export const hoistSpreadAggregates = (plan: ReadPlan): ReadPlan => hoist(plan).plan

function hoist(plan: ReadPlan): { plan: ReadPlan; hoisted: Hoisted[] } {
  const below = plan.children.map(hoist)
  const children = below.map((one) => one.plan)
  const fromBelow = below.flatMap((one) => one.hoisted)
  const isToOneSpread = plan.spread?.kind === 'to-one'
  const isHoisting = plan.depth > 0 && isToOneSpread
  const own = isHoisting ? plan.select.flatMap((item) => hoistedOf(item, plan.aggregateAlias)) : []
  const select = isHoisting
    ? plan.select.map((item) => ({ ...item, aggregate: null, aggregateCast: null }))
    : plan.select
  const relationSelects = isToOneSpread
    ? plan.relationSelect
    : plan.relationSelect.map((relation) => takeHoisted(relation, fromBelow))
  const passedOn = isToOneSpread ? fromBelow.map((one) => ({ ...one, alias: plan.aggregateAlias })) : []
  return { plan: { ...plan, select, children, relationSelect: relationSelects }, hoisted: [...own, ...passedOn] }
}

const hoistedOf = ({ field, aggregate, aggregateCast, alias }: SelectField, aggregateAlias: string): Hoisted[] =>
  aggregate === null
    ? []
    : [{ alias: aggregateAlias, name: alias ?? field.name, aggregate, cast: aggregateCast, as: alias }]

function takeHoisted(relation: RelationSelect, hoisted: readonly Hoisted[]): RelationSelect {
  if (relation.kind !== 'spread') return relation
  return {
    ...relation,
    fields: relation.fields.map((field) => {
      const match = hoisted.find(({ alias, name }) => alias === relation.alias && name === field.name)
      return match ? { ...field, aggregate: match.aggregate, aggregateCast: match.cast, alias: match.as } : field
    }),
  }
}

/** Orders a to-many spread inside its aggregates, selecting the order's columns under generated names.
 *  @throws PGRST127 if it uses an aggregate itself. */
export function spreadOrders(plan: ReadPlan): ReadPlan {
  const children = plan.children.map(spreadOrders)
  if (plan.spread?.kind !== 'to-many') return { ...plan, children }
  const aggregates =
    plan.select.some(({ aggregate }) => aggregate !== null) ||
    plan.relationSelect.some((one) => one.kind === 'spread' && one.fields.some(({ aggregate }) => aggregate !== null))
  if (aggregates) {
    throw restError('PGRST127', [], {
      details: 'Aggregates are not implemented for one-to-many or many-to-many spreads.',
    })
  }
  const terms = plan.order.map((term, index) => ({
    term,
    alias: `${plan.aggregateAlias}_${term.field.name}_${index + 1}`,
  }))
  return {
    ...plan,
    children,
    order: [],
    spread: {
      kind: 'to-many',
      extraSelect: terms.map(({ term, alias }) => ({ relation: term.relation, item: plainSelect(term.field, alias) })),
      order: terms.map(({ term, alias }): OrderBy => ({ ...term, relation: null, field: unknownField(alias) })),
    },
  }
}
