import { parse } from 'postgres-array'

/** An item of a Postgres array: text as Postgres writes it, null, or an array. */
export type ArrayItem = string | null | readonly ArrayItem[]

/** The items of an array as Postgres writes it, such as `{a,"b c",NULL}`; null when the text is no array. */
export function readArray(text: string): readonly ArrayItem[] | null {
  try {
    return parse(text) as ArrayItem[]
  } catch {
    return null
  }
}

/** An array as Postgres reads it. */
export const arrayLiteral = (items: readonly ArrayItem[]): string =>
  `{${items.map((item) => (item === null ? 'NULL' : typeof item === 'string' ? quoted(item) : arrayLiteral(item))).join(',')}}`

const quoted = (text: string): string => `"${text.replaceAll(/["\\]/g, '\\$&')}"`
