import type { ReadPlan, RelationSelect } from '../plan/model.ts'

/** A column whose name begins with it is true where there is an embedded row, whose columns follow; the rest is its name. */
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
      (one) => one.kind === 'object' && !one.empty && Buffer.byteLength(one.name) + EMBED_BEGINS.length <= LONGEST_NAME,
    ),
  )
}

export const hasAggregates = ({ select, relationSelect }: ReadPlan): boolean =>
  select.some(({ aggregate }) => aggregate !== null) ||
  relationSelect.some((one) => one.kind === 'spread' && one.fields.some(({ aggregate }) => aggregate !== null))
