import { parse, TomlError } from 'smol-toml'
import { z } from 'zod'
import { setTomlValues, type TomlValue } from './edit-toml.ts'
import type { Env } from './env.ts'
import { ConfigError, type Fault, renderPath } from './fault.ts'
import { JsoncError, parseJsonc, setJsonValues } from './jsonc.ts'
import { oldName, renamedKeys, unwrap, withKnownNames } from './known-keys.ts'
import { applyOverrides, findOverrides } from './overrides.ts'
import { collectLines, indexKeys, type LineOf, type Path } from './position.ts'
import { type RawTable, resolveReferences, withoutKey } from './values.ts'

/** A settings file's text: TOML, or JSON according to the file's name. */
export type TomlSource = {
  readonly toml: string
  readonly file: string
  readonly env: Env
  /** Whether variables create tables and entries missing from the file, unlike in the Supabase CLI. */
  readonly mayCreate?: boolean
}

/** `data` fits the schema unless there are `faults`; `raw` has `env(NAME)` and overrides applied, but no defaults.
 *  `ignored` are unknown keys, which `data` and `raw` lack, and old names of keys. */
export type TomlResult<T> = {
  readonly data: T | undefined
  readonly raw: RawTable
  readonly faults: readonly Fault[]
  readonly ignored: readonly Fault[]
  readonly fault: (path: Path, message: string) => Fault
}

/** Parses TOML, applies the environment and checks every key.
 *  @param prefix Prefix of overriding variables: `SUPABASE` or `UNDOCK`.
 *  @throws {ConfigError} if the text isn't TOML; other faults are returned. */
export function readToml<S extends z.ZodType>(
  schema: S,
  prefix: string,
  { toml, file, env, mayCreate }: TomlSource,
): TomlResult<z.output<S>> {
  const { tables, lineOf } = parseText(toml, file)
  const written = withKnownNames(tables)
  const overrides = findOverrides(schema, prefix, written, env, mayCreate)
  const given = resolveReferences(applyOverrides(written, overrides), env) as RawTable
  const variables = new Map(overrides.map(({ path, variable }) => [renderPath(path), variable]))
  const fault = faultMaker(file, lineOf, variables)
  const unknown = unknownKeys(schema.safeParse(given).error)
  const raw = unknown.reduce(withoutKey, given)
  const { data, error } = schema.safeParse(raw)
  const faults = error?.issues.map((issue) => fault(pathOf(issue), messageOf(issue))) ?? []
  const ignored = [
    ...unknown.map((path) => fault(path, `is not a known key${suggestion(schema, path)}`)),
    ...renamedKeys(tables).map(({ written, known, refusedBy }) =>
      fault(written, `is the old name of ${renderPath(known)}; version ${refusedBy} of the CLI refuses it`),
    ),
  ]
  return { data, raw, faults, ignored, fault }
}

const isJson = (file: string): boolean => /\.jsonc?$/.test(file)

/** Parses a settings file's text. @throws {ConfigError} with line and column */
export const parseTables = (text: string, file: string): RawTable => parseText(text, file).tables

/** Sets keys of a table in a settings file, or removes them with null, keeping everything else.
 *  @returns null if the text can't be edited. */
export const setValues = (
  file: string,
  text: string,
  table: readonly string[],
  values: Readonly<Record<string, TomlValue | null>>,
): string | null => (isJson(file) ? setJsonValues : setTomlValues)(text, table, values)

function parseText(text: string, file: string): { tables: RawTable; lineOf: LineOf } {
  try {
    if (!isJson(file)) return { tables: parse(text), lineOf: indexKeys(text) }
    const { note, lineOf } = collectLines()
    const { $schema, ...tables } = parseJsonc(text, note)
    return { tables, lineOf }
  } catch (error) {
    if (!(error instanceof TomlError || error instanceof JsoncError)) throw error
    // The first line of the parser's message is the reason; the rest quotes the file.
    const message = error.message.split('\n')[0] ?? error.message
    const { line, column } = error
    throw new ConfigError([{ file, line, column, key: '', message }], { cause: error })
  }
}

function faultMaker(file: string, lineOf: LineOf, variables: ReadonlyMap<string, string>) {
  return (path: Path, message: string): Fault => {
    const key = renderPath(path)
    const variable = variables.get(key)
    if (variable === undefined) return { file, line: lineFor(path, lineOf), key, message }
    return { file, line: undefined, key, message: `${message} (from the variable ${variable})` }
  }
}

/** A file may use the key's old name; then `lineOf` only finds a table around the current one. */
function lineFor(path: Path, lineOf: LineOf): number | undefined {
  const other = oldName(path)
  return (other && lineOf(other)) ?? lineOf(path)
}

const pathOf = ({ path }: z.core.$ZodIssue): Path =>
  path.map((part) => (typeof part === 'symbol' ? String(part) : part))

function messageOf(issue: z.core.$ZodIssue): string {
  const expected = issue.code === 'invalid_type' ? issue.expected : ''
  if (expected === 'object' || expected === 'record') return 'must be a table'
  return expected === 'array' ? 'must be a list of tables' : issue.message
}

const unknownKeys = (error: z.ZodError | undefined): Path[] =>
  error?.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...pathOf(issue), key]) : [],
  ) ?? []

function knownKeys(schema: z.ZodType, path: Path): string[] {
  const { inner } = unwrap(schema)
  const [part, ...rest] = path
  if (part === undefined) return inner instanceof z.ZodObject ? Object.keys(inner.shape) : []
  if (inner instanceof z.ZodArray) return knownKeys(inner.element as z.ZodType, rest)
  if (inner instanceof z.ZodRecord) return knownKeys(inner.def.valueType as z.ZodType, rest)
  const next = inner instanceof z.ZodObject ? inner.shape[String(part)] : undefined
  return next ? knownKeys(next, rest) : []
}

function suggestion(schema: z.ZodType, path: Path): string {
  const key = String(path.at(-1))
  const known = knownKeys(schema, path.slice(0, -1))
  const plain = (name: string) => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
  const near = known.find((name) => editDistance(plain(name), plain(key)) <= Math.min(2, key.length / 3))
  return near === undefined ? '' : `; did you mean ${near}?`
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (const [i, char] of [...a].entries()) {
    const next = [i + 1]
    for (const [j, other] of [...b].entries()) {
      const [left, above, diagonal] = [next[j] ?? 0, row[j + 1] ?? 0, row[j] ?? 0]
      next.push(Math.min(left + 1, above + 1, diagonal + Number(char !== other)))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
