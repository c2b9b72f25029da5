/** Distinguishes a fragment from a look-alike that a client sent as JSON, which can't contain a symbol. */
const MADE_HERE = Symbol('sql')

/** SQL as data: text with holes. A value in a hole becomes a bound parameter, never text; only another `Sql` (such as
 *  `identifier()` and `keyword()`) contributes text. */
export type Sql = {
  readonly [MADE_HERE]: true
  readonly chunks: readonly string[]
  readonly values: readonly unknown[]
}

/** Text with `$1 …` placeholders, and their values. */
export type Statement = {
  readonly text: string
  readonly values: readonly unknown[]
  /** Parses the text each time instead of keeping the statement prepared. */
  readonly isUnprepared?: boolean
  /** The column of its single row with the number of rows it represents. */
  readonly countedBy?: string
  /** The encoded message that runs the prepared statement, for reuse (`Db.prepareSettings`). */
  readonly bind?: readonly Buffer[]
}

function fragment(chunks: readonly string[], values: readonly unknown[]): Sql {
  return { [MADE_HERE]: true, chunks, values }
}

const isSql = (value: unknown): value is Sql => typeof value === 'object' && value !== null && MADE_HERE in value

/** Builds a fragment; every hole that isn't SQL is bound as a parameter. */
export function sql(strings: TemplateStringsArray, ...holes: readonly unknown[]): Sql {
  const chunks = [strings[0] ?? '']
  const values: unknown[] = []
  holes.forEach((hole, index) => {
    const after = strings[index + 1] ?? ''
    if (isSql(hole)) {
      append(chunks, hole, '', after)
      values.push(...hole.values)
    } else {
      values.push(hole)
      chunks.push(after)
    }
  })
  return fragment(chunks, values)
}

export const empty: Sql = fragment([''], [])

/** Returns a quoted name of one or more parts: `identifier('public', 'a"b')` is `"public"."a""b"`. */
export function identifier(...parts: readonly [string, ...string[]]): Sql {
  return fragment([parts.map(quoteIdentifier).join('.')], [])
}

/** Quotes a name for commands without `Sql` (such as LISTEN). Removes NUL, which would end the protocol's string. */
export function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('\0', '').replaceAll('"', '""')}"`
}

/** Inserts text from our own source: an operator, a keyword. Never pass client input. */
export function keyword(text: string): Sql {
  return fragment([text], [])
}

export function join(parts: readonly Sql[], separator = ', '): Sql {
  if (parts.length === 0) return empty
  const chunks: string[] = ['']
  const values: unknown[] = []
  parts.forEach((part, index) => {
    append(chunks, part, index > 0 ? separator : '', '')
    values.push(...part.values)
  })
  return fragment(chunks, values)
}

function append(chunks: string[], part: Sql, before: string, after: string): void {
  const [first = '', ...rest] = part.chunks
  chunks.push(`${chunks.pop() ?? ''}${before}${first}`, ...rest)
  chunks.push(`${chunks.pop() ?? ''}${after}`)
}

export function statement(from: Sql): Statement {
  let text = from.chunks[0] ?? ''
  for (let index = 1; index < from.chunks.length; index++) text += `$${index}${from.chunks[index]}`
  return { text, values: from.values }
}

/** Returns an SQL literal that's valid for any value of standard_conforming_strings. */
export function literal(text: string): string {
  const quoted = `'${text.replaceAll('\0', '').replaceAll("'", "''").replaceAll('\\', '\\\\')}'`
  return text.includes('\\') ? ` E${quoted}` : quoted
}
