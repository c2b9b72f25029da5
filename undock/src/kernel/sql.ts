/** Distinguishes a fragment from a look-alike object that a client sent as JSON: JSON cannot contain a symbol. */
const MADE_HERE = Symbol('sql')

/** SQL as data: text with holes. A value in a hole becomes a bound parameter, never text;
 *  only another `Sql` (and so `identifier()` and `keyword()`) contributes text. */
export type Sql = {
  readonly [MADE_HERE]: true
  readonly chunks: readonly string[]
  readonly values: readonly unknown[]
}

/** What a database engine takes: text with `$1 …` placeholders and the values they stand for. */
export type Statement = {
  readonly text: string
  readonly values: readonly unknown[]
  /** Whether the session parses the text each time instead of keeping the statement prepared. */
  readonly isUnprepared?: boolean
  /** The column of its only row that counts the rows it stands for. */
  readonly countedBy?: string
  /** The message of the protocol that runs it where it is prepared, encoded once for all its runs (`Db.prepareSettings`). */
  readonly bind?: readonly Buffer[]
}

function fragment(chunks: readonly string[], values: readonly unknown[]): Sql {
  return { [MADE_HERE]: true, chunks, values }
}

const isSql = (value: unknown): value is Sql => typeof value === 'object' && value !== null && MADE_HERE in value

/** Builds a fragment; every hole that is not itself SQL is bound as a parameter. */
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

/** A quoted name, of one or several parts: `identifier('public', 'a"b')` is `"public"."a""b"`. */
export function identifier(...parts: readonly [string, ...string[]]): Sql {
  return fragment([parts.map(quoteIdentifier).join('.')], [])
}

/** A name as text, for the few commands that take no `Sql` (such as LISTEN).
 *  NUL cannot occur in a Postgres name; it would end the protocol's string early, so it is removed. */
export function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('\0', '').replaceAll('"', '""')}"`
}

/** Text that is written in our own source: an operator, a keyword. Never pass anything a client sent. */
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

/** Appends a fragment's first chunk to the last chunk, so that their text joins without a hole in between. */
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
