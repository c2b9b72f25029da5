/** Row numbers from 0, both ends included; `to` is null without an end. `limit=0` is `{ from: 0, to: -1 }`. */
export type RowRange = { readonly from: number; readonly to: number | null }

export const ALL_ROWS: RowRange = { from: 0, to: null }
export const ONE_ROW: RowRange = { from: 0, to: 0 }
const NO_ROWS: RowRange = { from: 0, to: -1 }
const NOWHERE: RowRange = { from: Number.POSITIVE_INFINITY, to: Number.NEGATIVE_INFINITY }

export const isAllRows = ({ from, to }: RowRange): boolean => from === 0 && to === null
export const isEmpty = ({ from, to }: RowRange): boolean => to !== null && to < from
export const hasLimitZero = ({ to }: RowRange): boolean => to === -1

export function intersect(one: RowRange, other: RowRange): RowRange {
  if (isEmpty(one) || isEmpty(other)) return NOWHERE
  const to = one.to === null ? other.to : other.to === null ? one.to : Math.min(one.to, other.to)
  return { from: Math.max(one.from, other.from), to }
}

/** Limits a range to its first `limit` rows. */
export const restrict = (range: RowRange, limit: number): RowRange =>
  intersect(range, { from: Number.NEGATIVE_INFINITY, to: offsetOf(range) + limit - 1 })

/** Keeps `limit=0`, the only valid empty range. */
export const keepLimitZero = (range: RowRange, otherwise: RowRange): RowRange =>
  hasLimitZero(range) ? NO_ROWS : otherwise

export const limitOf = ({ from, to }: RowRange): number | null =>
  to === null || !Number.isFinite(from) ? null : 1 + to - from
export const offsetOf = ({ from }: RowRange): number => (Number.isFinite(from) ? from : 0)

/** Parses a Range header, `0-9` or `5-`; anything else asks for all rows. */
export function parseRangeHeader(header: string | null): RowRange {
  const match = /^(\d+)-(\d*)$/.exec(header ?? '')
  if (!match) return ALL_ROWS
  return { from: Number(match[1]), to: match[2] ? Number(match[2]) : null }
}

const wholeNumber = (text: string): number | null => (/^\s*-?\d+\s*$/.test(text) ? Number(text) : null)

/** Reads a resource's `limit` and `offset`, ignoring values that aren't numbers. */
export function rangeOf(limit: string | undefined, offset: string | undefined): RowRange {
  const rows = limit === undefined ? null : wholeNumber(limit)
  const limited = rows === null ? ALL_ROWS : restrict(ALL_ROWS, rows)
  if (offset === undefined) return limited
  const from = wholeNumber(offset) ?? 0
  if (limit === undefined) return { from, to: null }
  return { from, to: from + (limitOf(limited) ?? 0) - 1 }
}
