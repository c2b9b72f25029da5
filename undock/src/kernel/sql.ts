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

/** SQL as data: text with holes. A value in a hole becomes a bound parameter, never text; only another `Sql` (such as
 *  `identifier()` and `keyword()`) contributes text. A look-alike that a client sends as JSON is no instance. */
export class Sql implements Statement {
  readonly chunks: readonly string[]
  readonly values: readonly unknown[]

  constructor(chunks: readonly string[], values: readonly unknown[]) {
    this.chunks = chunks
    this.values = values
  }

  /** The text with a number for each hole, made on each access: see `statement` for SQL that's kept. */
  get text(): string {
    let text = this.chunks[0] ?? ''
    for (let index = 1; index < this.chunks.length; index++) text += `$${index}${this.chunks[index]}`
    return text
  }
}

/** Builds a fragment; every hole that isn't SQL is bound as a parameter. */
export function sql(strings: TemplateStringsArray, ...holes: readonly unknown[]): Sql {
  const chunks = [strings[0] ?? '']
  const values: unknown[] = []
  holes.forEach((hole, index) => {
    const after = strings[index + 1] ?? ''
    if (hole instanceof Sql) {
      append(chunks, hole, '', after)
      values.push(...hole.values)
    } else {
      values.push(hole)
      chunks.push(after)
    }
  })
  return new Sql(chunks, values)
}

export const empty: Sql = new Sql([''], [])

/** Returns a quoted name of one or more parts: `identifier('public', 'a"b')` is `"public"."a""b"`. */
export function identifier(...parts: readonly [string, ...string[]]): Sql {
  return new Sql([parts.map(quoteIdentifier).join('.')], [])
}

/** Quotes a name for commands without `Sql` (such as LISTEN). Removes NUL, which would end the protocol's string. */
export function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('\0', '').replaceAll('"', '""')}"`
}

/** Inserts text from our own source: an operator, a keyword. Never pass client input. */
export function keyword(text: string): Sql {
  return new Sql([text], [])
}

export function join(parts: readonly Sql[], separator = ', '): Sql {
  if (parts.length === 0) return empty
  const chunks: string[] = ['']
  const values: unknown[] = []
  parts.forEach((part, index) => {
    append(chunks, part, index > 0 ? separator : '', '')
    values.push(...part.values)
  })
  return new Sql(chunks, values)
}

function append(chunks: string[], part: Sql, before: string, after: string): void {
  const [first = '', ...rest] = part.chunks
  chunks.push(`${chunks.pop() ?? ''}${before}${first}`, ...rest)
  chunks.push(`${chunks.pop() ?? ''}${after}`)
}

/** Renders SQL once, for a statement that is kept, or gets more properties. */
export const statement = ({ text, values }: Sql): Statement => ({ text, values })

/** Returns an SQL literal that's valid for any value of standard_conforming_strings. */
export function literal(text: string): string {
  const quoted = `'${text.replaceAll('\0', '').replaceAll("'", "''").replaceAll('\\', '\\\\')}'`
  return text.includes('\\') ? ` E${quoted}` : quoted
}
