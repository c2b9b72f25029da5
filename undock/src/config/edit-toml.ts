import { parse } from 'smol-toml'
import { changedKeys, withValues } from './values.ts'

export type TomlValue = string | number | boolean | readonly string[]

/** Sets keys of a table in a TOML document, or removes them with null, keeping comments, order and everything else.
 *  @param table The table's names, such as `['auth', 'email', 'template', 'invite']`.
 *  @returns null if that's impossible by editing lines, for example in an inline table. */
export function setTomlValues(
  toml: string,
  table: readonly string[],
  values: Readonly<Record<string, TomlValue | null>>,
): string | null {
  const edited = edit(toml, table, values)
  try {
    return changedKeys(parse(edited), withValues(parse(toml), table, values)).length === 0 ? edited : null
  } catch {
    return null
  }
}

/** Works for documents as people write them; parsing the result reveals others. */
function edit(toml: string, table: readonly string[], values: Readonly<Record<string, TomlValue | null>>): string {
  const newline = toml.includes('\r\n') ? '\r\n' : '\n'
  const lines = toml.split(newline)
  const header = lines.findIndex((line) => headerOf(line) === table.join('.'))
  const entries = Object.entries(values)
  const set = entries.filter((entry): entry is [string, TomlValue] => entry[1] !== null)
  if (header === -1) {
    if (set.length === 0) return toml
    const before = toml === '' ? '' : `${toml.trimEnd()}${newline}${newline}`
    const section = [`[${table.join('.')}]`, ...set.map(([key, value]) => lineOf(key, value))]
    return `${before}${section.join(newline)}${newline}`
  }
  const next = lines.findIndex((line, index) => index > header && headerOf(line) !== null)
  const end = next === -1 ? lines.length : next
  const added: string[] = []
  for (const [key, value] of entries) {
    const at = lines.findIndex((line, index) => index > header && index < end && keyOf(line) === key)
    if (at === -1) {
      if (value !== null) added.push(lineOf(key, value))
      continue
    }
    const rest = lines.slice(at).join(newline)
    const found = VALUE.exec(rest)
    if (found) {
      const [old, start = ''] = found
      const next = value === null ? [] : [`${start}${textOf(value)}${rest.slice(old.length).split(newline)[0]}`]
      lines.splice(at, old.split(newline).length, ...next)
    }
  }
  return lines.toSpliced(header + 1, 0, ...added).join(newline)
}

const textOf = (value: TomlValue): string =>
  Array.isArray(value) ? `[${value.map((one) => JSON.stringify(one)).join(', ')}]` : JSON.stringify(value)
const lineOf = (key: string, value: TomlValue): string => `${key} = ${textOf(value)}`

const headerOf = (line: string): string | null =>
  /^\s*\[\[?([^\]]+)\]\]?\s*(?:#.*)?$/.exec(line)?.[1]?.replaceAll(/[\s"']/g, '') ?? null
const keyOf = (line: string): string | null => /^\s*([\w-]+)\s*=/.exec(line)?.[1] ?? null
/** A key with its value: a text or a number on one line, or a list of texts. */
const VALUE =
  /^(\s*[\w-]+\s*=\s*)(?:"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|true|false|[+-]?\d[\d_]*|\[(?:\s|,|#[^\n]*\n|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')*\])(?=[ \t]*(?:#|\r?\n|$))/
