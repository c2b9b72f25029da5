import { restError } from '../errors.ts'
import { ALL_ROWS, keepLimitZero, ONE_ROW, type RowRange, restrict } from '../range.ts'
import type { AtPath, EmbedPath, SelectItem } from '../request/ast.ts'
import { treePath } from '../request/names.ts'
import { parse } from '../request/parsec.ts'
import type { Action, ApiRequest } from '../request/request.ts'
import { isToOne, type QualifiedName, type SchemaCache } from '../schema-cache/model.ts'
import type { RestSettings } from '../settings.ts'
import { addRelationships } from './embeds.ts'
import { isOneRow, type OrderBy, type ReadPlan, type WhereTree } from './model.ts'
import { notEmbedded } from './not-found.ts'
import { resolveFilter, resolveLogic, resolveOrder, resolveOutput } from './resolve.ts'
import { addAliases, expandStars } from './select-list.ts'
import { addRelationSelects, hoistSpreadAggregates, refuseAggregates, spreadOrders } from './spreads.ts'

const embedded = (plan: ReadPlan, name: string): ReadPlan | undefined =>
  plan.children.find((child) => (child.alias ?? child.name) === name)

/** Resolves `order=clients(name)`: only an embedded to-one resource has one value per row to order by.
 *  @throws PGRST108, PGRST118 */
function addRelatedOrders(plan: ReadPlan): ReadPlan {
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

/** Resolves `clients=is.null`: if `clients` is embedded, it tests for rows, not a column. */
function addEmbedFilters(plan: ReadPlan): ReadPlan {
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

/** Plans the root resource and everything embedded in it.
 *  @throws PGRST108, PGRST118, PGRST123, PGRST127, PGRST200, PGRST201 */
export function planRead(
  target: QualifiedName,
  request: ApiRequest,
  cache: SchemaCache,
  settings: RestSettings,
): ReadPlan {
  const isMutation = request.action.kind === 'mutate'
  const context = { cache, names: settings }
  const initial = initialPlan(target, request, cache)
  const resolved = addLogic(
    request,
    context,
    addRanges(request, context, addOrders(request, context, addFilters(request, context, initial))),
  )
  const related = addRelationships(resolved, cache, {
    schema: target.schema,
    isFromSource: isFromSource(request.action),
  })
  const selected = addRelationSelects(
    addEmbedFilters(addRelatedOrders(addAliases(expandStars(related, target, cache)))),
  )
  if (!settings.aggregatesEnabled) refuseAggregates(selected)
  const planned = spreadOrders(hoistSpreadAggregates(selected))
  return settings.maxRows === null || isMutation ? planned : limitRows(planned, settings.maxRows, { isOrdered: false })
}

const isFromSource = ({ kind }: Action): boolean => kind === 'mutate' || kind === 'call'

function initialPlan(target: QualifiedName, { query }: ApiRequest, cache: SchemaCache): ReadPlan {
  const build = (
    base: Pick<ReadPlan, 'name' | 'alias' | 'hint' | 'join' | 'spread'>,
    items: readonly SelectItem[],
    depth: number,
  ): ReadPlan => {
    const from = { schema: target.schema, name: base.name }
    const scope = { cache, table: from }
    return {
      ...base,
      from,
      depth,
      isNamedDespiteAlias: false,
      fromAlias: null,
      where: [],
      order: [],
      range: ALL_ROWS,
      relationship: null,
      computedFrom: null,
      joinConditions: [],
      aggregateAlias: '',
      relationSelect: [],
      select: items.flatMap((item) =>
        item.kind === 'field'
          ? [
              {
                field: resolveOutput(scope, item.field),
                aggregate: item.aggregate,
                aggregateCast: item.aggregateCast,
                cast: item.cast,
                alias: item.alias,
              },
            ]
          : [],
      ),
      children: items.flatMap((item) =>
        item.kind === 'relation'
          ? [build({ ...item, spread: item.spread ? { kind: 'to-one' } : null }, item.select, depth + 1)]
          : [],
      ),
    }
  }
  const { name, alias, hint, join, spread, ...rest } = build(
    { name: target.name, alias: null, hint: null, join: null, spread: null },
    query.select,
    0,
  )
  return { name, alias, hint, join, spread, ...rest }
}

type TargetNames = Pick<RestSettings, 'legacyTargetNames'>
type ResolveContext = { readonly cache: SchemaCache; readonly names: TargetNames }

/** Changes the resource at a path. As in PostgREST, a resource named by a parameter moves before its siblings. */
function changeAt(plan: ReadPlan, path: EmbedPath, names: TargetNames, change: (plan: ReadPlan) => ReadPlan): ReadPlan {
  const [name, ...rest] = path
  if (name === undefined) return change(plan)
  const embedded = findEmbedded(plan, name, names)
  const isNamedDespiteAlias = embedded.isNamedDespiteAlias || (embedded.alias !== null && embedded.alias !== name)
  const changed = changeAt({ ...embedded, isNamedDespiteAlias }, rest, names, change)
  return { ...plan, children: [changed, ...plan.children.filter((child) => child !== embedded)] }
}

/** @throws PGRST108 */
function findEmbedded({ children }: ReadPlan, name: string, { legacyTargetNames }: TargetNames): ReadPlan {
  const hasName = (child: ReadPlan): boolean => child.name === name || child.alias === name
  const target = children.find(legacyTargetNames ? hasName : (child) => (child.alias ?? child.name) === name)
  if (target) return target
  throw notEmbedded(name, children.find(hasName)?.alias)
}

/** Goes from the last parameter to the first, because each change moves its resource to the front. */
const applyAll = <T>(
  plan: ReadPlan,
  all: readonly AtPath<T>[],
  names: TargetNames,
  change: (plan: ReadPlan, value: T) => ReadPlan,
): ReadPlan =>
  all.reduceRight((changed, { path, value }) => changeAt(changed, path, names, (one) => change(one, value)), plan)

function addFilters({ action, query }: ApiRequest, { cache, names }: ResolveContext, plan: ReadPlan): ReadPlan {
  // A mutation's root filters choose its rows; they don't filter what it returns.
  const filters = action.kind === 'mutate' ? query.filters.filter(({ path }) => path.length > 0) : query.filters
  return applyAll(plan, filters, names, (one, filter) => ({
    ...one,
    where: [resolveFilter({ cache, table: one.from }, filter), ...one.where],
  }))
}

const addOrders = ({ query }: ApiRequest, { cache, names }: ResolveContext, plan: ReadPlan): ReadPlan => {
  const scope = { cache, table: plan.from }
  return applyAll(plan, query.order, names, (one, terms) => ({
    ...one,
    order: terms.map((term) => resolveOrder(scope, term)),
  }))
}

function addRanges({ action, ranges }: ApiRequest, { names }: ResolveContext, plan: ReadPlan): ReadPlan {
  if (action.kind === 'mutate') return plan
  const all = [...ranges].map(([key, value]): AtPath<RowRange> => ({ path: pathOf(key), value }))
  return applyAll(plan, all, names, (one, range) => ({ ...one, range }))
}

function pathOf(key: string): readonly string[] {
  const parsed = parse(treePath, `failed to parse tree path (${key})`, key)
  if ('value' in parsed) return parsed.value.path
  throw restError('PGRST100', [parsed.error.message], { details: parsed.error.details })
}

function addLogic({ action, query }: ApiRequest, { cache, names }: ResolveContext, plan: ReadPlan): ReadPlan {
  const logic = action.kind === 'mutate' ? query.logic.filter(({ path }) => path.length > 0) : query.logic
  return applyAll(plan, logic, names, (one, tree) => ({
    ...one,
    where: [resolveLogic({ cache, table: one.from }, tree), ...one.where],
  }))
}

/** Applies the server's row limit to every resource. A foreign key points to one row anyway: with an order, its
 *  resource gets no limit, so that Postgres can choose the join; without, `limit 1` keeps the table's row order. */
function limitRows(plan: ReadPlan, maxRows: number, parent: { readonly isOrdered: boolean }): ReadPlan {
  const isOne = isOneRow(plan)
  const isOrdered = isOne ? parent.isOrdered : plan.order.length > 0
  return {
    ...plan,
    range: isOne ? (isOrdered ? plan.range : ONE_ROW) : keepLimitZero(plan.range, restrict(plan.range, maxRows)),
    children: plan.children.map((child) => limitRows(child, maxRows, { isOrdered })),
  }
}
