import type { Replace } from './fakes/fake-column.ts'

// Rows in the text format of COPY.
// @see https://www.postgresql.org/docs/current/sql-copy.html#SQL-COPY-FILE-FORMATS

const ESCAPED: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' }
const ESCAPES: Readonly<Record<string, string>> = {
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
}

const readValue = (text: string): string =>
  text.includes('\\') ? text.replaceAll(/\\(.)/gs, (_, char: string) => ESCAPED[char] ?? char) : text

const writeValue = (value: string): string => value.replaceAll(/[\b\f\n\r\t\v\\]/g, (char) => ESCAPES[char] ?? char)

/** Replaces values in complete rows.
 *  @param replace By column; null leaves it as it is. NULL stays NULL. */
export function replaceInRows(rows: Buffer, replace: readonly (Replace | null)[]): Buffer {
  const lines = rows.toString().split('\n')
  const replaced = lines.map((line, index) => (index === lines.length - 1 ? line : replaceInRow(line, replace)))
  return Buffer.from(replaced.join('\n'))
}

const replaceInRow = (line: string, replace: readonly (Replace | null)[]): string =>
  line
    .split('\t')
    .map((text, column) => {
      const one = replace[column]
      return one && text !== '\\N' ? writeValue(one(readValue(text))) : text
    })
    .join('\t')
