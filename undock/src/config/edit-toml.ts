import { isDeepStrictEqual } from 'node:util'
import { parse, type TomlTable } from 'smol-toml'

export type TomlValue = string | boolean

/** Sets keys of a table of a TOML document. All else stays as it is, comments and order too: a line is replaced or added, or a
 *  section at the end.
 *  @param table The names of the table, such as `['auth', 'email', 'template', 'invite']`.
 *  @returns null when that cannot be done by lines alone, as when the table is written inline. */
export function setTomlValues(
  toml: string,
  table: readonly string[],
  values: Readonly<Record<string, TomlValue>>,
): string | null {
  const edited = edit(toml, table, values)
  try {
    return isDeepStrictEqual(parse(edited), withValues(parse(toml), table, values)) ? edited : null
  } catch {
    return null
  }
}

/** What is right for documents as people write them. What it makes of others is found out by parsing it. */
function edit(toml: string, table: readonly string[], values: Readonly<Record<string, TomlValue>>): string {
  const newline = toml.includes('\r\n') ? '\r\n' : '\n'
  const lines = toml.split(newline)
  const header = lines.findIndex((line) => headerOf(line) === table.join('.'))
  const entries = Object.entries(values)
  if (header === -1) {
    const before = toml === '' ? '' : `${toml.trimEnd()}${newline}${newline}`
    const section = [`[${table.join('.')}]`, ...entries.map(([key, value]) => lineOf(key, value))]
    return `${before}${section.join(newline)}${newline}`
  }
  const next = lines.findIndex((line, index) => index > header && headerOf(line) !== null)
  const end = next === -1 ? lines.length : next
  const added: string[] = []
  for (const [key, value] of entries) {
    const at = lines.findIndex((line, index) => index > header && index < end && keyOf(line) === key)
    const [, comment = ''] = at === -1 ? [] : (VALUE.exec(lines[at] ?? '') ?? [])
    if (at === -1) added.push(lineOf(key, value))
    else lines[at] = `${lineOf(key, value)}${comment}`
  }
  return lines.toSpliced(header + 1, 0, ...added).join(newline)
}

const lineOf = (key: string, value: TomlValue): string => `${key} = ${JSON.stringify(value)}`

/** The name of the table that a line begins; null for any other line. */
const headerOf = (line: string): string | null =>
  /^\s*\[\[?([^\]]+)\]\]?\s*(?:#.*)?$/.exec(line)?.[1]?.replaceAll(/\s/g, '') ?? null
const keyOf = (line: string): string | null => /^\s*([\w-]+)\s*=/.exec(line)?.[1] ?? null
/** A value on one line, and the comment after it. */
const VALUE = /^\s*[\w-]+\s*=\s*(?:"(?:[^"\\]|\\.)*"|'[^']*'|true|false)(\s*#.*)?\s*$/

/** The document that is wanted. It changes and returns `document`. */
function withValues(
  document: TomlTable,
  path: readonly string[],
  values: Readonly<Record<string, TomlValue>>,
): TomlTable {
  let table = document
  for (const name of path) {
    // The parser's tables have no prototype, as `parse` makes one.
    table[name] ??= parse('')
    table = table[name] as TomlTable
  }
  Object.assign(table, values)
  return document
}
