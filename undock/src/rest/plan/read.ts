import { restError } from '../errors.ts'
import { ALL_ROWS, keepLimitZero, ONE_ROW, type RowRange, restrict } from '../range.ts'
import type { At, EmbedPath, SelectItem } from '../request/ast.ts'
import { treePath } from '../request/names.ts'
import { parse } from '../request/parsec.ts'
import type { Action, ApiRequest } from '../request/request.ts'
import type { QualifiedName, SchemaCache } from '../schema-cache/model.ts'
import type { RestSettings } from '../settings.ts'
import { addEmbedFilters, addRelatedOrders } from './embed-conditions.ts'
import { addRelationships } from './embeds.ts'
import { isOneRow, type ReadPlan } from './model.ts'
import { resolveFilter, resolveLogic, resolveOrder, resolveOutput } from './resolve.ts'
import { addAliases, expandStars } from './select-list.ts'
import { addRelationSelects, hoistSpreadAggregates, refuseAggregates, spreadOrders } from './spreads.ts'

/** Plans the root resource and everything embedded in it, stage by stage.
 *  @throws PGRST108, PGRST118, PGRST123, PGRST127, PGRST200, PGRST201 */
export function planRead(
  target: QualifiedName,
  request: ApiRequest,
  cache: SchemaCache,
  settings: RestSettings,
): ReadPlan {
  const isMutation = request.action.kind === 'mutate'
  const wanted = addLogic(
    request,
    cache,
    addRanges(request, addOrders(request, cache, addFilters(request, cache, initialPlan(target, request, cache)))),
  )
  const related = addRelationships(wanted, target.schema, isFromSource(request.action), cache)
  const selected = addRelationSelects(
    addEmbedFilters(addRelatedOrders(addAliases(expandStars(related, target, cache)))),
  )
  if (!settings.aggregatesEnabled) refuseAggregates(selected)
  const planned = spreadOrders(hoistSpreadAggregates(selected))
  return settings.maxRows === null || isMutation ? planned : limitRows(planned, settings.maxRows)
}

/** The result of a mutation or a call is read from the CTE that did it. */
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

/** Changes the resource at the end of a path.
 *  A resource that a parameter speaks of moves to the front of its siblings, in the result too. */
function changeAt(plan: ReadPlan, path: EmbedPath, change: (plan: ReadPlan) => ReadPlan): ReadPlan {
  const [name, ...rest] = path
  if (name === undefined) return change(plan)
  const found = plan.children.find((child) => child.name === name || child.alias === name)
  if (!found) throw notEmbedded(name)
  return { ...plan, children: [changeAt(found, rest, change), ...plan.children.filter((child) => child !== found)] }
}

export const notEmbedded = (name: string): Error =>
  restError('PGRST108', [name], { hint: `Verify that '${name}' is included in the 'select' query parameter.` })

/** From the last parameter to the first: what comes later in a list is put in front of it. */
const applyAll = <T>(plan: ReadPlan, all: readonly At<T>[], change: (plan: ReadPlan, what: T) => ReadPlan): ReadPlan =>
  all.reduceRight((changed, { path, what }) => changeAt(changed, path, (one) => change(one, what)), plan)

function addFilters({ action, query }: ApiRequest, cache: SchemaCache, plan: ReadPlan): ReadPlan {
  // The filters of a mutation's root choose its rows; they do not filter what it returns.
  const filters = action.kind === 'mutate' ? query.filters.filter(({ path }) => path.length > 0) : query.filters
  return applyAll(plan, filters, (one, filter) => ({
    ...one,
    where: [resolveFilter({ cache, table: one.from }, filter), ...one.where],
  }))
}

const addOrders = ({ query }: ApiRequest, cache: SchemaCache, plan: ReadPlan): ReadPlan => {
  const scope = { cache, table: plan.from }
  return applyAll(plan, query.order, (one, terms) => ({
    ...one,
    order: terms.map((term) => resolveOrder(scope, term)),
  }))
}

function addRanges({ action, ranges }: ApiRequest, plan: ReadPlan): ReadPlan {
  if (action.kind === 'mutate') return plan
  const all = [...ranges].map(([key, what]): At<RowRange> => ({ path: pathOf(key), what }))
  return applyAll(plan, all, (one, range) => ({ ...one, range }))
}

/** The resources that `projects."a.b".limit` walks through. */
function pathOf(key: string): readonly string[] {
  const parsed = parse(treePath, `failed to parse tree path (${key})`, key)
  if ('value' in parsed) return parsed.value.path
  throw restError('PGRST100', [parsed.error.message], { details: parsed.error.details })
}

function addLogic({ action, query }: ApiRequest, cache: SchemaCache, plan: ReadPlan): ReadPlan {
  const logic = action.kind === 'mutate' ? query.logic.filter(({ path }) => path.length > 0) : query.logic
  return applyAll(plan, logic, (one, tree) => ({
    ...one,
    where: [resolveLogic({ cache, table: one.from }, tree), ...one.where],
  }))
}

/** What a foreign key points to is one row anyway. Where nobody asks for an order it is limited all the same: that keeps Postgres from
 *  joining in another order than that of the rows. Elsewhere it is free to join as it sees fit. */
function limitRows(plan: ReadPlan, most: number, isOrderedAbove = false): ReadPlan {
  const isOne = isOneRow(plan)
  const isOrdered = isOne ? isOrderedAbove : plan.order.length > 0
  return {
    ...plan,
    range: isOne ? (isOrdered ? plan.range : ONE_ROW) : keepLimitZero(plan.range, restrict(plan.range, most)),
    children: plan.children.map((child) => limitRows(child, most, isOrdered)),
  }
}
