import type { Cell } from '../../lib/api.ts'
import type { Column, ForeignKey, RelationDetail } from '../catalog.ts'

/** A column's initial width in pixels. */
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

/** How a value is edited. `long` is multi-line text. */
export type EditorKind =
  | 'text'
  | 'choice'
  | 'long'
  | 'json'
  | 'array'
  | 'bytes'
  | 'range'
  | 'vector'
  | 'geometry'
  | 'moment'
  | 'uuid'

export const editorOf = ({ baseType, category, labels }: Column): EditorKind => {
  if (labels || category === 'B') return 'choice'
  if (category === 'A') return 'array'
  if (category === 'R' && !/multirange$/.test(baseType)) return 'range'
  if (/^jsonb?$/.test(baseType)) return 'json'
  if (baseType === 'bytea') return 'bytes'
  if (isVector(baseType)) return 'vector'
  if (isGeometry(baseType)) return 'geometry'
  if (/^(date|time|timestamp)\b/.test(baseType)) return 'moment'
  if (baseType === 'uuid') return 'uuid'
  return baseType === 'xml' ? 'long' : 'text'
}

/** Kinds whose values need more room than a cell. */
const IN_DIALOG: readonly EditorKind[] = ['long', 'json', 'array', 'bytes', 'range', 'vector', 'geometry']

export const isEditedInDialog = (column: Column, value: string | null): boolean => {
  const kind = editorOf(column)
  return IN_DIALOG.includes(kind) || (kind === 'text' && value !== null && value.includes('\n'))
}

/** Whether a type is one of pgvector's dense vectors. */
export const isVector = (baseType: string): boolean => /(?:^|\.)(?:vector|halfvec)$/.test(baseType)

/** Whether a type is one of PostgreSQL's geometric types or PostGIS'. */
const isGeometry = (baseType: string): boolean =>
  /^(?:point|lseg|box|path|polygon|circle)$|(?:^|\.)geo(?:metry|graphy)$/.test(baseType)

/** Returns the values that a column with choices accepts, as Postgres writes them. */
export const choicesOf = ({ labels }: Column): readonly string[] => labels ?? ['t', 'f']

/** A column's foreign key, and the column it refers to. */
export function referenceOf(
  { foreignKeys }: RelationDetail,
  { name }: Column,
): { key: ForeignKey; target: string } | null {
  const key = foreignKeys.find(({ columns }) => columns.length === 1 && columns[0] === name)
  const target = key?.references[0]
  return key && target !== undefined ? { key, target } : null
}

/** Returns a value's text for a single line. */
export const shownValue = (value: string, { category }: Column): string =>
  category === 'B' ? (value === 't' ? 'true' : 'false') : value.length > 300 ? `${value.slice(0, 300)}…` : value

/** Returns why a text isn't valid for a column; null if only Postgres can tell. */
export function faultOf(column: Column, text: string | null): string | null {
  if (text === null || editorOf(column) !== 'json') return null
  try {
    JSON.parse(text)
    return null
  } catch (error) {
    return `This is not valid JSON: ${(error as Error).message}`
  }
}

/** @property value Null and unset both show an empty text. */
export type EditorProps = {
  id: string
  column: Column
  value: Cell
  onChange: (value: string) => void
}
