const REFERENCE = /^env\((.*)\)$/

/** The name in an unresolved `env(NAME)`. */
export const unresolvedName = (text: string): string | undefined => REFERENCE.exec(text)?.[1]

/** Replaces strings `env(NAME)` by the values of the environment. As in the CLI, a reference to an unset or empty variable stays. */
export function resolveReferences(value: unknown, env: Readonly<Record<string, string | undefined>>): unknown {
  if (typeof value === 'string') {
    const name = unresolvedName(value)
    return (name !== undefined && env[name]) || value
  }
  if (Array.isArray(value)) return value.map((item) => resolveReferences(item, env))
  if (!isTable(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, resolveReferences(item, env)]))
}

export type RawTable = Record<string, unknown>

/** TOML dates are objects too, but not tables. */
export const isTable = (value: unknown): value is RawTable =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
