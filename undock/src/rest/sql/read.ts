import { empty, identifier, join, keyword, type Sql, sql } from '../../kernel/sql.ts'
import { plainSelect, type ReadPlan, type RelationSelect, type SpreadField, unknownField } from '../plan/model.ts'
import { isAllRows, limitOf, offsetOf } from '../range.ts'
import type { QualifiedName } from '../schema-cache/model.ts'
import { aggregated, as, column, field, local, orderBy, qualified, selectItem } from './fields.ts'
import { joinCondition, where } from './filters.ts'
import { beginsItself, EMBED_BEGINS, EMBED_ENDS, hasAggregates } from './flat-embeds.ts'

/** The rows of a resource, with what is embedded in it joined laterally.
 *  @param flat Embedded rows that are wanted as columns, not as JSON. */
export function readSql(
  plan: ReadPlan,
  limit: Sql = limitSql(plan),
  flat: ReadonlySet<RelationSelect> = new Set(),
): Sql {
  const table = tableName(plan)
  const wanted = plan.select.length === 0 && plan.children.length === 0 ? [plainSelect(unknownField('*'))] : plan.select
  const items = [
    ...wanted.map((item) => selectItem(table, item)),
    ...extraSelect(plan, table),
    ...plan.relationSelect.flatMap((relation, index) =>
      flat.has(relation) ? flatItems(relation, plan.relationSelect[index + 1], flat) : relationItems(relation, plan),
    ),
  ]
  const conditions = [...plan.where.map((tree) => where(table, tree)), ...plan.joinConditions.map(joinCondition)]
  const filter = conditions.length === 0 ? empty : sql` where ${join(conditions, ' and ')}`
  return sql`select ${join(items)}${fromSql(plan)}${joins(plan, flat)}${filter}${groupBy(plan, table)}${orderBy(table, plan.order)}${limit}`
}

/** What columns of this resource are qualified with. */
export function tableName({ relationship, from, fromAlias }: ReadPlan): QualifiedName {
  if (fromAlias !== null) return local(fromAlias)
  return relationship?.kind === 'computed' ? local(relationship.function.name) : from
}

export function fromSql({ relationship, computedFrom, from, fromAlias }: ReadPlan): Sql {
  const alias = as(fromAlias)
  if (relationship?.kind === 'computed') {
    // The cast chooses among overloads: from a CTE the row's type alone would not.
    const row = sql`${identifier((computedFrom ?? relationship.table).name)}::${qualified(relationship.table)}`
    return sql` from ${qualified(relationship.function)}(${row})${alias}`
  }
  const junction =
    relationship?.cardinality.kind === 'many-to-many'
      ? sql`, ${qualified(relationship.cardinality.junction.table)}`
      : empty
  return sql` from ${qualified(from)}${alias}${junction}`
}

const extraSelect = ({ spread }: ReadPlan, table: QualifiedName): Sql[] =>
  spread?.kind === 'to-many'
    ? spread.extraSelect.map(({ relation, item }) => selectItem(relation === null ? table : local(relation), item))
    : []

/** Whether an embedded row becomes JSON where it is joined: a quarter less work than from the join's outer side, where each
 *  row is first put together anew. Its columns are out of reach then. */
const isJsonInside = (relation: RelationSelect, { order, spread }: ReadPlan): boolean =>
  relation.kind === 'object' &&
  !relation.empty &&
  // There the planner would join in another way, and what nobody ordered would come in another order than upstream's.
  spread?.kind !== 'to-many' &&
  order.every((one) => one.relation !== relation.alias)

function relationItems(relation: RelationSelect, plan: ReadPlan): Sql[] {
  const alias = identifier(relation.alias)
  switch (relation.kind) {
    case 'object': {
      if (relation.empty) return []
      const json = isJsonInside(relation, plan) ? sql`${alias}.${alias}` : sql`to_jsonb(${alias}.*)`
      return [sql`${json} as ${identifier(relation.name)}`]
    }
    case 'array':
      return relation.empty ? [] : [sql`coalesce(${alias}.${alias}, '[]') as ${identifier(relation.name)}`]
    case 'spread':
      return relation.fields.map((one) => {
        const value = aggregated(column(local(relation.alias), one.name), one.aggregate, one.aggregateCast)
        return sql`${value}${as(one.alias)}`
      })
  }
}

/** @param next What stands after it. */
const flatItems = (
  { alias }: RelationSelect,
  next: RelationSelect | undefined,
  flat: ReadonlySet<RelationSelect>,
): Sql[] => [sql`${identifier(alias)}.*`, ...(next && !flat.has(next) ? [sql`null as ${identifier(EMBED_ENDS)}`] : [])]

const joins = (plan: ReadPlan, flat: ReadonlySet<RelationSelect>): Sql =>
  join(
    plan.children.flatMap((child, index) => {
      const relation = plan.relationSelect[index]
      return relation ? [joinSql(child, relation, plan, flat.has(relation))] : []
    }),
    '',
  )

function joinSql(child: ReadPlan, relation: RelationSelect, parent: ReadPlan, isFlat: boolean): Sql {
  const alias = identifier(relation.alias)
  const inner = child.join === 'inner'
  const lateral = (subquery: Sql, condition: Sql): Sql =>
    sql`${inner ? sql` inner` : sql` left`} join lateral (${subquery}) as ${alias} on ${condition}`
  if (isFlat && relation.kind === 'object') {
    const begun = beginsItself(child, relation, parent)
    if (begun) return lateral(readSql(begun), sql`true`)
    const begins = identifier(EMBED_BEGINS + relation.name)
    return lateral(sql`select true as ${begins}, ${alias}.* from (${readSql(child)}) as ${alias}`, sql`true`)
  }
  const rows = readSql(child)
  if (isJsonInside(relation, parent))
    return lateral(sql`select to_jsonb(${alias}) as ${alias} from (${rows}) as ${alias}`, sql`true`)
  const isToMany = relation.kind === 'array' || (relation.kind === 'spread' && child.spread?.kind === 'to-many')
  if (!isToMany) return lateral(rows, sql`true`)
  const spread =
    relation.kind === 'spread' && child.spread?.kind === 'to-many'
      ? relation.fields.map((one) => sql`, ${spreadArray(relation.alias, child.spread, one)}`)
      : []
  return lateral(
    sql`select jsonb_agg(${alias}) as ${alias}${join(spread, '')} from (${rows}) as ${alias}`,
    inner ? sql`${alias} is not null` : sql`true`,
  )
}

function spreadArray(alias: string, spread: ReadPlan['spread'], one: SpreadField): Sql {
  const order = spread?.kind === 'to-many' ? orderBy(local(alias), spread.order) : empty
  return sql`coalesce(jsonb_agg(${column(local(alias), one.name)}${order}), '[]') as ${identifier(one.alias ?? one.name)}`
}

function groupBy(plan: ReadPlan, table: QualifiedName): Sql {
  if (!hasAggregates(plan)) return empty
  const { select, relationSelect } = plan
  const own = select
    .filter(({ aggregate }) => aggregate === null)
    .map((item) => (item.alias === null ? field(table, item.field) : identifier(item.alias)))
  const related = relationSelect.flatMap((one) =>
    one.kind === 'spread'
      ? one.fields
          .filter(({ aggregate }) => aggregate === null)
          .map(({ name, alias }) => sql`${identifier(one.alias)}.${identifier(alias ?? name)}`)
      : [identifier(one.name)],
  )
  const terms = [...own, ...related]
  return terms.length === 0 ? empty : sql` group by ${join(terms)}`
}

/** One row and an offset of nothing are written out: the planner need not guess. */
export function limitSql({ range }: ReadPlan): Sql {
  if (isAllRows(range)) return empty
  const limit = limitOf(range)
  const offset = offsetOf(range)
  if (limit === 1 && offset === 0) return sql` limit 1`
  return sql`${limit === null ? empty : sql` limit ${limit}`}${offset === 0 ? empty : sql` offset ${offset}`}`
}

/** Beyond it no limit is worth planning for. */
const LARGEST_MAGNITUDE = 40

/** How many rows a limit and an offset come to at most, as a power of two. Of a limit in a parameter the planner knows
 *  nothing, takes a tenth of all rows for it, finds a plan for any values dear, and plans each request anew; told the
 *  magnitude, it keeps one plan for each. */
export function magnitudeSql({ range }: ReadPlan): Sql {
  const magnitude = Math.ceil(Math.log2((limitOf(range) ?? Number.POSITIVE_INFINITY) + offsetOf(range)))
  return magnitude >= 0 && magnitude <= LARGEST_MAGNITUDE ? keyword(` limit ${2 ** magnitude}`) : empty
}
