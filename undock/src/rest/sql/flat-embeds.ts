import type { ReadPlan, RelationSelect, SelectField } from '../plan/model.ts'

/** A column whose name begins with it is not null where there is an embedded row, whose columns follow; the rest is its name.
 *  Where the name has it once more, the column is one of the row's itself, called what stands behind. */
export const EMBED_BEGINS = '\u0001'
/** What follows a column of this name is not the embedded row's, up to the next that begins. */
export const EMBED_ENDS = '\u0002'

/** The bytes of a name that Postgres keeps. */
const LONGEST_NAME = 63

/** Embedded rows of which there is one at most, whose columns can stand among those of the row they belong to. */
export function flatEmbeds(plan: ReadPlan): ReadonlySet<RelationSelect> {
  if (hasAggregates(plan)) return new Set()
  return new Set(
    plan.relationSelect.filter(
      (one) =>
        one.kind === 'object' && !one.empty && !one.name.includes(EMBED_BEGINS) && isName(EMBED_BEGINS + one.name),
    ),
  )
}

const isName = (name: string): boolean => Buffer.byteLength(name) <= LONGEST_NAME

/** A plan of an embedded row whose first column begins it: one of those that it is joined by, which are not null in a row that is there.
 *  @returns null when none of them is asked for as it is. */
export function beginsItself(
  child: ReadPlan,
  { name, alias }: RelationSelect & { kind: 'object' | 'array' },
  parent: ReadPlan,
): ReadPlan | null {
  const { relationship, select } = child
  if (relationship?.kind !== 'foreign' || relationship.cardinality.kind === 'many-to-many') return null
  // There it is called by its own name.
  if (hasAggregates(child) || parent.order.some(({ relation }) => relation === alias)) return null
  const joined = relationship.cardinality.columns.map(([, foreign]) => foreign)
  const first = select.find((one) => isPlain(one) && joined.includes(one.field.name))
  if (!first) return null
  const column = EMBED_BEGINS + name + EMBED_BEGINS + (first.alias ?? first.field.name)
  if (!isName(column)) return null
  return { ...child, select: [{ ...first, alias: column }, ...select.filter((one) => one !== first)] }
}

const isPlain = ({ field, cast }: SelectField): boolean =>
  field.path.length === 0 && field.transform === null && !field.fullRow && cast === null

export const hasAggregates = ({ select, relationSelect }: ReadPlan): boolean =>
  select.some(({ aggregate }) => aggregate !== null) ||
  relationSelect.some((one) => one.kind === 'spread' && one.fields.some(({ aggregate }) => aggregate !== null))
