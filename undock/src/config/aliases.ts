import { isTable, type RawTable } from './env.ts'
import type { Path } from './position.ts'

type Alias = { readonly written: Path; readonly known: Path }

/** Keys that version 3 of the CLI renamed. Projects hold either name, and both mean the same here. */
const ALIASES: readonly Alias[] = [
  { written: ['inbucket'], known: ['local_smtp'] },
  { written: ['experimental', 'orioledb_version'], known: ['db', 'orioledb_version'] },
  { written: ['auth', 'email', 'enabled'], known: ['auth', 'email', 'enable_signup'] },
  { written: ['auth', 'sms', 'enabled'], known: ['auth', 'sms', 'enable_signup'] },
]

/** A copy of the tables in which every key has the name that the schema knows. A key that is there under both names
 *  keeps what the known one says. */
export function withKnownNames(raw: RawTable): RawTable {
  return ALIASES.reduce((tables, { written, known }) => {
    const value = valueAt(tables, written)
    if (value === undefined) return tables
    const without = withoutKey(tables, written)
    return valueAt(without, known) === undefined ? withKey(without, known, value) : without
  }, raw)
}

/** How a file that uses the other name writes a path. */
export function otherName(path: Path): Path | undefined {
  const alias = ALIASES.find(({ known }) => known.every((part, index) => part === path[index]))
  return alias && [...alias.written, ...path.slice(alias.known.length)]
}

const valueAt = (table: unknown, path: Path): unknown =>
  path.reduce((inner: unknown, part) => (isTable(inner) ? inner[String(part)] : undefined), table)

function withKey(table: RawTable, [key, ...rest]: Path, value: unknown): RawTable {
  const name = String(key)
  const child = table[name]
  return { ...table, [name]: rest.length === 0 ? value : withKey(isTable(child) ? child : {}, rest, value) }
}

function withoutKey(table: RawTable, [key, ...rest]: Path): RawTable {
  const { [String(key)]: child, ...others } = table
  return rest.length > 0 && isTable(child) ? { ...others, [String(key)]: withoutKey(child, rest) } : others
}
