import type { Column } from '../catalog.ts'

/** The width that a column begins with, in pixels. */
export function initialWidth({ name, baseType, category }: Column): number {
  const forValues = /^(timestamp|time)/.test(baseType)
    ? 230
    : baseType === 'uuid'
      ? 290
      : category === 'N'
        ? 110
        : category === 'B'
          ? 90
          : baseType === 'date'
            ? 120
            : 240
  return Math.max(forValues, Math.min(260, name.length * 8 + 60))
}

/** How a value is edited: in the cell, by a choice, or in a dialog because it has lines. */
export type EditorKind = 'text' | 'choice' | 'long'

export const editorOf = ({ baseType, category, labels }: Column): EditorKind => {
  if (labels || category === 'B') return 'choice'
  return /^jsonb?$|^xml$|\[\]$/.test(baseType) ? 'long' : 'text'
}

/** The values that a column of a choice takes, as Postgres writes them. */
export const choicesOf = ({ labels }: Column): readonly string[] => labels ?? ['t', 'f']

/** The text of a value where one line shows it. */
export const shownValue = (value: string, { category }: Column): string =>
  category === 'B' ? (value === 't' ? 'true' : 'false') : value.length > 300 ? `${value.slice(0, 300)}…` : value
