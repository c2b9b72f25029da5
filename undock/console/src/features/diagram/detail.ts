import type { DiagramColumn, DiagramTable } from './queries.ts'

/** How much of a table is drawn: its name, its keys, or all of its columns. */
export const DETAILS = ['names', 'keys', 'columns'] as const
export type Detail = (typeof DETAILS)[number]

/** The columns of a table that are drawn. @param tied Those of foreign keys. */
export const shownColumns = (
  { columns }: DiagramTable,
  detail: Detail,
  tied: ReadonlySet<string>,
): readonly DiagramColumn[] =>
  detail === 'names'
    ? []
    : detail === 'columns'
      ? columns
      : columns.filter(({ name, isKey }) => isKey || tied.has(name))
