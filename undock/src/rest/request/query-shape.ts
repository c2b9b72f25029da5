import { randomUUID } from 'node:crypto'
import { decode } from './query-params.ts'

/** A query string without the values of its plain comparisons. Requests of the same shape differ in those values only. */
export type QueryShape = {
  /** The query string with a placeholder for each value. */
  readonly search: string
  /** The decoded values, in the order of their placeholders. */
  readonly values: readonly string[]
}

/** The placeholders begin with a random text, so that no client can send one. */
const PREFIX = randomUUID()
const placeholder = (index: number): string => `${PREFIX}.${index}`

/** Operators that take their whole right side as one text, whatever it holds. */
const COMPARISON = /^((?:not\.)?(?:eq|neq|gt|gte|lt|lte)\.)(.*)$/s
/** Parameters that are not columns, alone or at the end of a path; also names that would have to be decoded first. */
const NOT_A_COLUMN = /(^|\.)(select|columns|on_conflict|order|limit|offset|and|or)$|%/

export function queryShape(search: string): QueryShape {
  const values: string[] = []
  const pairs = search
    .replace(/^\?/, '')
    .split(/[&;]/)
    .map((pair) => {
      const equals = pair.indexOf('=')
      const name = pair.slice(0, equals)
      const [, operator, value] =
        (equals > 0 && !NOT_A_COLUMN.test(name) && COMPARISON.exec(pair.slice(equals + 1))) || []
      if (operator === undefined || value === undefined) return pair
      values.push(decode(value))
      return `${name}=${operator}${placeholder(values.length - 1)}`
    })
  return { search: pairs.join('&'), values }
}

const PLACEHOLDERS = new RegExp(`${PREFIX}\\.(\\d+)`)

/** Turns a text that holds placeholders into a function that puts other texts in their places. */
export function textTemplate(text: string): (textOf: (index: number) => string) => string {
  const pieces = text.split(PLACEHOLDERS)
  return (textOf) => pieces.map((piece, index) => (index % 2 === 0 ? piece : textOf(Number(piece)))).join('')
}

/** The index of each parameter that is a placeholder, null for the others.
 *  @returns null when a parameter holds more than a placeholder: planning has then made something of the value. */
export function placeholderIndexes(parameters: readonly unknown[]): readonly (number | null)[] | null {
  const indexes = parameters.map((parameter) => {
    if (typeof parameter !== 'string' || !parameter.includes(PREFIX)) return null
    const index = Number(parameter.slice(PREFIX.length + 1))
    return parameter === placeholder(index) ? index : Number.NaN
  })
  return indexes.some(Number.isNaN) ? null : indexes
}
