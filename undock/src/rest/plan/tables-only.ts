import type { SchemaCache } from '../schema-cache/model.ts'
import type { OrderBy, Plan, ReadPlan, ResolvedField, WhereTree } from './model.ts'
import { tableOf } from './resolve.ts'

/** Whether a read returns nothing but columns of tables. Everything else (views, computed columns and relationships,
 *  representations, media handlers) may come from a function that returns something different to each caller. */
export const readsTablesOnly = (plan: Plan, cache: SchemaCache): boolean =>
  plan.kind === 'read' && plan.media.kind !== 'plan' && plan.handler.kind !== 'custom' && isOfTables(plan.read, cache)

const isOfTables = (read: ReadPlan, cache: SchemaCache): boolean =>
  tableOf(cache, read.from)?.isView === false &&
  read.relationship?.kind !== 'computed' &&
  read.select.every(({ field }) => field.name === '*' || isColumn(field)) &&
  read.where.every(isOfColumns) &&
  read.order.every(isByColumn) &&
  read.children.every((child) => isOfTables(child, cache))

const isColumn = ({ type, transform }: ResolvedField): boolean => type !== '' && transform === null

const isOfColumns = (tree: WhereTree): boolean => {
  switch (tree.kind) {
    case 'logic':
      return tree.operands.every(isOfColumns)
    case 'filter':
      return isColumn(tree.field)
    case 'embedIsNull':
      return true
  }
}

const isByColumn = ({ relation, field }: OrderBy): boolean => relation === null && isColumn(field)
