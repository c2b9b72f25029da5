import { isDeepStrictEqual } from 'node:util'
import { parse, type TomlTable } from 'smol-toml'

export type TomlValue = string | number | boolean | readonly string[]

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
    if (at === -1) {
      added.push(lineOf(key, value))
      continue
    }
    // A list may go on over lines.
    const rest = lines.slice(at).join(newline)
    const found = VALUE.exec(rest)
    if (found) {
      const [old, start = ''] = found
      lines.splice(at, old.split(newline).length, `${start}${textOf(value)}${rest.slice(old.length).split(newline)[0]}`)
    }
  }
  return lines.toSpliced(header + 1, 0, ...added).join(newline)
}

const textOf = (value: TomlValue): string =>
  Array.isArray(value) ? `[${value.map((one) => JSON.stringify(one)).join(', ')}]` : JSON.stringify(value)
const lineOf = (key: string, value: TomlValue): string => `${key} = ${textOf(value)}`

/** The name of the table that a line begins; null for any other line. */
const headerOf = (line: string): string | null =>
  /^\s*\[\[?([^\]]+)\]\]?\s*(?:#.*)?$/.exec(line)?.[1]?.replaceAll(/\s/g, '') ?? null
const keyOf = (line: string): string | null => /^\s*([\w-]+)\s*=/.exec(line)?.[1] ?? null
/** A key with its value: a text or a number on one line, or a list of texts. */
const VALUE =
  /^(\s*[\w-]+\s*=\s*)(?:"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|true|false|[+-]?\d[\d_]*|\[(?:\s|,|#[^\n]*\n|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')*\])(?=[ \t]*(?:#|\r?\n|$))/

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
