import * as z from 'zod/mini'

/** A list's columns in order, besides the title, which is always first.
 *  `column` is a document property ("size") or a field id; widths in CSS pixels. */
export const Columns = z.catch(
  z
    .array(z.object({ column: z.string(), width: z.optional(z.number().check(z.gte(60), z.lte(800))) }))
    .check(z.maxLength(200)),
  [],
)
export type Columns = z.infer<typeof Columns>

const NARROWEST = 60
const WIDEST = 800

/** Returns the chosen columns that still exist, or all by default. */
export function shownColumns(chosen: Columns | null | undefined, available: readonly string[]): Columns {
  if (!chosen) return available.map((column) => ({ column }))
  return chosen.filter(({ column }) => available.includes(column))
}

/** Appends a column, or removes it. */
export const toggledColumn = (columns: Columns, column: string, on: boolean): Columns =>
  on ? [...columns.filter((one) => one.column !== column), { column }] : columns.filter((one) => one.column !== column)

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
