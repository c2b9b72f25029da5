import * as z from 'zod/mini'

/** The columns of a list, in their order. Its title always comes first, and is none of them.
 *  `column` is the name of a fact of every document ("size") or the id of a field; widths in CSS pixels. */
export const Columns = z.catch(
  z
    .array(z.object({ column: z.string(), width: z.optional(z.number().check(z.gte(60), z.lte(800))) }))
    .check(z.maxLength(200)),
  [],
)
export type Columns = z.infer<typeof Columns>

const NARROWEST = 60
const WIDEST = 800

/** What a list shows: the person's choice, without what is gone. Until they choose it has all there is. */
export function shownColumns(chosen: Columns | null | undefined, available: readonly string[]): Columns {
  if (!chosen) return available.map((column) => ({ column }))
  return chosen.filter(({ column }) => available.includes(column))
}

/** Shows a column, as the last one, or hides it. */
export const toggledColumn = (columns: Columns, column: string, on: boolean): Columns =>
  on ? [...columns.filter((one) => one.column !== column), { column }] : columns.filter((one) => one.column !== column)

/** Moves a column by so many places. */
export function movedColumn<Entry>(entries: readonly Entry[], from: number, by: 1 | -1): Entry[] {
  const next = [...entries]
  const to = from + by
  const [entry] = next.splice(from, 1)
  if (entry === undefined || to < 0 || to >= entries.length) return [...entries]
  next.splice(to, 0, entry)
  return next
}

export const resizedColumn = (columns: Columns, column: string, width: number): Columns =>
  columns.map((one) =>
    one.column === column ? { column, width: Math.round(Math.min(WIDEST, Math.max(NARROWEST, width))) } : one,
  )
