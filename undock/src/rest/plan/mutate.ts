import { restError } from '../errors.ts'
import type { JsonText } from '../request/payload.ts'
import type { ApiRequest, Mutation } from '../request/request.ts'
import type { QualifiedName, SchemaCache, Table } from '../schema-cache/model.ts'
import type { MutatePlan, ReadPlan, ResolvedField, WhereTree } from './model.ts'
import { columnField, resolveFilter, resolveLogic, type Scope, withJsonParser } from './resolve.ts'
import { columnsNeeded } from './select-list.ts'

const NO_ROWS: JsonText = { text: Buffer.from('[]'), isObject: false }

export type MutationOptions = {
  readonly mutation: Mutation
  readonly table: Table
  readonly read: ReadPlan
  readonly cache: SchemaCache
}

/** @throws PGRST105 for a PUT that doesn't name exactly the primary key, PGRST204 for an unknown column. */
export function planMutation(
  { query, preferences, payload, columns }: ApiRequest,
  { mutation, table, read, cache }: MutationOptions,
): MutatePlan {
  const target: QualifiedName = { schema: table.schema, name: table.name }
  const scope: Scope = { cache, table: target }
  const { primaryKey } = table
  const rootFilters = query.filters.filter(({ path }) => path.length === 0).map(({ value }) => value)
  const where: WhereTree[] = [
    ...rootFilters.map((filter) => resolveFilter(scope, filter)),
    ...query.logic.map(({ value }) => resolveLogic(scope, value)),
  ]
  const returning =
    preferences.representation === null || preferences.representation === 'minimal'
      ? []
      : columnsNeeded(read, primaryKey)
  const body = payload?.kind === 'json' ? payload : NO_ROWS
  const applyDefaults = preferences.missing === 'default'
  const typed = (): ResolvedField[] => columns.map((name) => writableField(scope, table, name))
  const insert = () => ({ kind: 'insert', into: target, columns: typed(), body, returning }) as const
  switch (mutation) {
    case 'create': {
      const { resolution } = preferences
      const onConflict = resolution === null ? null : { resolution, columns: query.onConflict ?? primaryKey }
      return { ...insert(), onConflict, where: [], primaryKey, applyDefaults }
    }
    case 'update':
      return { kind: 'update', table: target, columns: typed(), body, where, returning, applyDefaults }
    case 'upsert': {
      const named = new Set(query.filterNames)
      const namesKey =
        primaryKey.length > 0 && named.size === primaryKey.length && primaryKey.every((name) => named.has(name))
      const onlyEquals = rootFilters.every(
        ({ not, operation }) =>
          !not && operation.kind === 'quantified' && operation.operator === 'eq' && operation.quantifier === null,
      )
      if (query.logic.length > 0 || !namesKey || !onlyEquals) throw restError('PGRST105', [])
      const onConflict = { resolution: 'merge-duplicates', columns: primaryKey } as const
      return { ...insert(), onConflict, where, primaryKey: [], applyDefaults: false }
    }
    case 'delete':
      return { kind: 'delete', from: target, where, returning }
  }
}

function writableField(scope: Scope, table: Table, name: string): ResolvedField {
  const column = table.columns.get(name)
  if (!column) throw restError('PGRST204', [table.name, name])
  return withJsonParser(scope, columnField(column))
}
