import * as z from 'zod/mini'
import type { Cell, Field, StatementResult } from '../../lib/api.ts'

/** A chart's settings. Columns are referred to by name, so that a script's next run has the same chart. */
export const Chart = z.object({
  isShown: z.boolean(),
  kind: z.enum(['bar', 'line', 'scatter']),
  x: z.string(),
  y: z.array(z.string()),
})
export type Chart = z.infer<typeof Chart>

/** @property x Seconds since 1970, numbers, or the places of categories from 0; ascending.
 *  @property labels The categories' names; null for times and numbers. @property isTime Whether `x` is a time. @property series The values
 * of each y column, null where missing. */
export type ChartData = {
  readonly x: readonly number[]
  readonly labels: readonly string[] | null
  readonly isTime: boolean
  readonly series: readonly { readonly name: string; readonly values: readonly (number | null)[] }[]
}

type Rows = Pick<StatementResult, 'fields' | 'rows'>

/** Ids of types (pg_type.dat). */
const NUMBERS = [20, 21, 23, 700, 701, 1700]
const TIMES = [1082, 1114, 1184]
/** The maximum number of lines or bars per group: one for each color. */
export const MAX_SERIES = 6

export const isNumber = ({ type }: Field): boolean => NUMBERS.includes(type)
const isTime = ({ type }: Field): boolean => TIMES.includes(type)

/** Returns a result's chart: the requested one if the result has its columns, or else a guess; null if it has no numbers. */
export function chartOf({ fields }: Pick<Rows, 'fields'>, wanted: Chart | undefined): Chart | null {
  const isShown = wanted?.isShown ?? false
  const names = fields.map(({ name }) => name)
  const y = wanted?.y.filter((name) => fields.some((field) => field.name === name && isNumber(field))) ?? []
  if (wanted && y.length > 0 && names.includes(wanted.x)) return { ...wanted, y }
  const numbers = fields.filter(isNumber)
  const x = fields.find(isTime) ?? fields.find((field) => !isNumber(field)) ?? numbers[0]
  const first = numbers.find((field) => field !== x)
  if (!x || !first) return null
  return { isShown, kind: isTime(x) ? 'line' : isNumber(x) ? 'scatter' : 'bar', x: x.name, y: [first.name] }
}

/** Returns a chart's values, without rows whose x is null or infinite. */
export function dataOf({ fields, rows }: Rows, { x, y }: Chart): ChartData {
  const at = fields.findIndex(({ name }) => name === x)
  const field = fields[at]
  const columns = y.slice(0, MAX_SERIES).map((name) => fields.findIndex((one) => one.name === name && isNumber(one)))
  const isCategory = !field || !(isTime(field) || isNumber(field))
  const points = rows
    .map((row, index) => ({ row, x: isCategory ? index : field && isTime(field) ? seconds(row[at]) : number(row[at]) }))
    .filter((point): point is { row: readonly Cell[]; x: number } => point.x !== null)
  // Lines are sorted by x. Categories keep the rows' order.
  if (!isCategory) points.sort((a, b) => a.x - b.x)
  return {
    x: points.map((point) => point.x),
    labels: isCategory ? rows.map((row) => row[at] ?? 'null') : null,
    isTime: field !== undefined && isTime(field),
    series: columns.map((column, index) => ({
      name: y[index] ?? '',
      values: points.map(({ row }) => number(row[column])),
    })),
  }
}

function number(cell: Cell | undefined): number | null {
  const value = Number(cell ?? Number.NaN)
  return Number.isFinite(value) ? value : null
}

/** Returns the seconds since 1970 of a date or time as Postgres writes it, in UTC by default. */
function seconds(cell: Cell | undefined): number | null {
  const [, date, time = '00:00:00', zone = '+00', minutes = ':00'] = TIME.exec(cell ?? '') ?? []
  const value = Date.parse(`${date}T${time}${zone}${minutes}`)
  return Number.isNaN(value) ? null : value / 1000
}
const TIME = /^(\d{4}-\d\d-\d\d)(?: (\d\d:\d\d:\d\d(?:\.\d{1,6})?)(?:([+-]\d\d)(:\d\d)?)?)?$/
