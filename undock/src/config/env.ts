export type Env = Readonly<Record<string, string | undefined>>

const REFERENCE = /^env\((.*)\)$/

/** The variable's name in a text that is an `env(NAME)` nobody resolved. */
export const unresolvedName = (text: string): string | undefined => REFERENCE.exec(text)?.[1]

/** Puts the environment's values in place of `env(NAME)`, wherever it is a whole string.
 *  As in the CLI, an unset or empty variable leaves the reference as it stands. */
export function resolveReferences(value: unknown, env: Env): unknown {
  if (typeof value === 'string') {
    const name = unresolvedName(value)
    return (name !== undefined && env[name]) || value
  }
  if (Array.isArray(value)) return value.map((item) => resolveReferences(item, env))
  if (!isTable(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, resolveReferences(item, env)]))
}

export type RawTable = Record<string, unknown>

/** Dates of TOML are objects too, but not tables. */
export const isTable = (value: unknown): value is RawTable =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
