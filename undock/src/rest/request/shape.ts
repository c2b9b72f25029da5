import { randomUUID } from 'node:crypto'
import { decode } from './query-params.ts'

/** An address with the values of plain comparisons taken out: requests of one shape differ in nothing else. */
export type Shape = {
  /** The query string with a mark in the place of each value. */
  readonly search: string
  /** Decoded, in the order of their marks. */
  readonly values: readonly string[]
}

/** Nobody can send what nobody can guess. */
const MARK = randomUUID()
const mark = (index: number): string => `${MARK}.${index}`

/** Comparisons whose value is one text as it is, whatever it holds. */
const COMPARISON = /^((?:not\.)?(?:eq|neq|gt|gte|lt|lte)\.)(.*)$/s
/** Names that are no columns when they stand alone or at the end of a path; and what must be decoded to be known. */
const NO_COLUMN = /(^|\.)(select|columns|on_conflict|order|limit|offset|and|or)$|%/

export function shapeOf(search: string): Shape {
  const values: string[] = []
  const marked = search
    .replace(/^\?/, '')
    .split(/[&;]/)
    .map((pair) => {
      const equals = pair.indexOf('=')
      const name = pair.slice(0, equals)
      const [, operator, value] = (equals > 0 && !NO_COLUMN.test(name) && COMPARISON.exec(pair.slice(equals + 1))) || []
      if (operator === undefined || value === undefined) return pair
      values.push(decode(value))
      return `${name}=${operator}${mark(values.length - 1)}`
    })
  return { search: marked.join('&'), values }
}

const MARKS = new RegExp(`${MARK}\\.(\\d+)`)

/** A text in which marks stand, as a function of what goes in their places. */
export function aroundMarks(text: string): (textOf: (index: number) => string) => string {
  const pieces = text.split(MARKS)
  return (textOf) => pieces.map((piece, index) => (index % 2 === 0 ? piece : textOf(Number(piece)))).join('')
}

/** Puts the values where the marks are.
 *  @returns null when a mark is only a part of what stands there: then something was made of the value. */
export function placesOfMarks(values: readonly unknown[]): readonly (number | null)[] | null {
  const places = values.map((value) => {
    if (typeof value !== 'string' || !value.includes(MARK)) return null
    const index = Number(value.slice(MARK.length + 1))
    return value === mark(index) ? index : Number.NaN
  })
  return places.some(Number.isNaN) ? null : places
}
