import type { ReadPlan, RelationSelect, SelectField } from '../plan/model.ts'

/** Marks the column that starts an embedded row: `\u0001` and the embed's name. The column is null where there is no row; the
 *  embed's columns follow. In `\u0001name\u0001column` it is also a column of the row itself. */
export const EMBED_START = '\u0001'
/** The name of a column that ends an embedded row. */
export const EMBED_END = '\u0002'

/** Postgres cuts longer names off. */
const MAX_NAME_BYTES = 63

/** The embedded resources of at most one row whose columns can be returned among the columns of their parent's row. */
export function flatEmbeds(plan: ReadPlan): ReadonlySet<RelationSelect> {
  if (hasAggregates(plan)) return new Set()
  return new Set(
    plan.relationSelect.filter(
      (one) => one.kind === 'object' && !one.empty && !one.name.includes(EMBED_START) && isName(EMBED_START + one.name),
    ),
  )
}

const isName = (name: string): boolean => Buffer.byteLength(name) <= MAX_NAME_BYTES

/** Makes a column that an embedded row is joined by the one that starts it: such a column is never null in an existing row.
 *  @returns null when none of these columns is selected unchanged. */
export function withStartColumn(
  child: ReadPlan,
  { name, alias }: RelationSelect & { kind: 'object' | 'array' },
  parent: ReadPlan,
): ReadPlan | null {
  const { relationship, select } = child
  if (relationship?.kind !== 'foreign' || relationship.cardinality.kind === 'many-to-many') return null
  // Aggregates and orders refer to the column by its own name.
  if (hasAggregates(child) || parent.order.some(({ relation }) => relation === alias)) return null
  const joined = relationship.cardinality.columns.map(([, foreign]) => foreign)
  const first = select.find((one) => isPlain(one) && joined.includes(one.field.name))
  if (!first) return null
  const column = EMBED_START + name + EMBED_START + (first.alias ?? first.field.name)
  if (!isName(column)) return null
  return { ...child, select: [{ ...first, alias: column }, ...select.filter((one) => one !== first)] }
}

const isPlain = ({ field, cast }: SelectField): boolean =>
  field.path.length === 0 && field.transform === null && !field.fullRow && cast === null

export const hasAggregates = ({ select, relationSelect }: ReadPlan): boolean =>
  select.some(({ aggregate }) => aggregate !== null) ||
  relationSelect.some((one) => one.kind === 'spread' && one.fields.some(({ aggregate }) => aggregate !== null))
