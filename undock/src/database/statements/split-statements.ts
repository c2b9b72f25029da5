export type ScriptStatement = {
  readonly text: string
  readonly line: number
  /** The rows after `copy … from stdin`, without the terminator. */
  readonly rows?: string
}

/** Splits a script at the semicolons that end statements: not those in strings, quoted names, comments, dollar quotes,
 *  parentheses (as in psql) or an SQL function's `begin atomic … end`. Comments before a statement stay with it.
 *  @see https://www.postgresql.org/docs/current/sql-syntax-lexical.html */
export function splitStatements(script: string): ScriptStatement[] {
  const statements: ScriptStatement[] = []
  let start = 0
  let depth = 0
  let parentheses = 0
  let hasCode = false
  for (let at = 0; at < script.length; ) {
    if (!hasCode) {
      const command = META_COMMAND.exec(script.slice(at, at + 1) === '\\' ? lineAt(script, at) : '')
      if (command) {
        at += command[0].length
        start = at
        continue
      }
    }
    const skipped = skipComment(script, at)
    if (skipped > at) {
      at = skipped
      continue
    }
    const quoted = skipQuoted(script, at)
    if (quoted > at) {
      hasCode = true
      at = quoted
      continue
    }
    const word = WORD.exec(script.slice(at, at + 64))?.[0]
    if (word) {
      depth = atomicDepth(script, at, word.toLowerCase(), depth)
      hasCode = true
      at += word.length
      continue
    }
    parentheses = openParentheses(script[at], parentheses)
    if (script[at] === ';' && depth === 0 && parentheses === 0) {
      const statement = hasCode ? statementAt(script, start, at) : null
      const rows = statement && COPY_IN.test(withoutComments(statement.text)) ? rowsAfter(script, at + 1) : null
      if (statement) statements.push(rows ? { ...statement, rows: rows.text } : statement)
      if (rows) at = rows.end - 1
      start = at + 1
      hasCode = false
    } else if (!/\s/.test(script[at] as string)) hasCode = true
    at += 1
  }
  if (hasCode) statements.push(statementAt(script, start, script.length))
  return statements
}

/** A semicolon in parentheses separates the commands of a rule. @returns how many are open after this character. */
export const openParentheses = (sign: string | undefined, open: number): number =>
  sign === '(' ? open + 1 : sign === ')' ? Math.max(0, open - 1) : open

/** psql commands that don't change the database; pg_dump writes the first four. */
const META_COMMAND = /^\\(?:restrict|unrestrict|connect|c|encoding|echo|timing|pset|set)(?:[ \t][^\n]*)?(?:\n|$)/

export const COPY_IN = /^copy\b[\s\S]*\bfrom\s+stdin\b/i

const lineAt = (script: string, at: number): string => {
  const end = script.indexOf('\n', at)
  return end === -1 ? script.slice(at) : script.slice(at, end + 1)
}

/** Strips the comments before a statement. */
export function withoutComments(text: string): string {
  let start = 0
  for (let at = 0; at < text.length; start = at) {
    at = /\s/.test(text.charAt(at)) ? at + 1 : skipComment(text, at)
    if (at === start) break
  }
  return text.slice(start)
}

const CREATE_EXTENSION = /^create\s+extension\s+(?:if\s+not\s+exists\s+)?"?([\w-]+)/i

/** @returns the name in `create extension`, for a statement without comments before it. */
export const createdExtension = (statement: string): string | undefined =>
  CREATE_EXTENSION.exec(statement)?.[1]?.toLowerCase()

export function firstWords(text: string, count: number): string[] {
  const words: string[] = []
  for (let rest = withoutComments(text); words.length < count; rest = withoutComments(rest)) {
    const word = WORD.exec(rest.slice(0, 64))?.[0]
    if (!word) break
    words.push(word)
    rest = rest.slice(word.length)
  }
  return words
}

/** A COPY's rows begin on the next line and end with a line of `\.`, as in psql. */
export function rowsAfter(script: string, from: number): { text: string; end: number } {
  const begin = script.indexOf('\n', from) + 1
  if (begin === 0) return { text: '', end: script.length }
  const last = /^\\\.\r?$/m.exec(script.slice(begin))
  if (!last) return { text: script.slice(begin), end: script.length }
  return { text: script.slice(begin, begin + last.index), end: begin + last.index + last[0].length }
}

export const WORD = /^[\p{L}_][\p{L}\p{N}_$]*/u

/** `begin atomic` opens a block that only its `end` closes; `case` inside it has its own `end`.
 *  @returns how many blocks are open after this word. */
export function atomicDepth(script: string, at: number, word: string, depth: number): number {
  if (word === 'begin' && /^begin\s+atomic\b/i.test(script.slice(at, at + 64))) return depth + 1
  if (depth > 0 && word === 'case') return depth + 1
  if (depth > 0 && word === 'end') return depth - 1
  return depth
}

function statementAt(script: string, start: number, end: number): ScriptStatement {
  const raw = script.slice(start, end)
  const indent = raw.length - raw.trimStart().length
  return { text: raw.trim(), line: countLines(script, start + indent) }
}

const countLines = (script: string, end: number): number => {
  let lines = 1
  for (let at = script.indexOf('\n'); at !== -1 && at < end; at = script.indexOf('\n', at + 1)) lines += 1
  return lines
}

/** @returns where the comment at this position ends, or `at`. Block comments nest. */
export function skipComment(script: string, at: number): number {
  if (script.startsWith('--', at)) {
    const length = script.slice(at).search(/[\r\n]/)
    return length === -1 ? script.length : at + length + 1
  }
  if (!script.startsWith('/*', at)) return at
  let depth = 0
  for (let place = at; place < script.length; place += 1) {
    if (script.startsWith('/*', place)) {
      depth += 1
      place += 1
    } else if (script.startsWith('*/', place)) {
      depth -= 1
      place += 1
      if (depth === 0) return place + 1
    }
  }
  return script.length
}

/** @returns where the string, quoted name or dollar quote at this position ends, or `at`. */
export function skipQuoted(script: string, at: number): number {
  const first = script[at]
  if (first === "'" || first === '"') return skipUntilQuote(script, at + 1, { quote: first, hasEscapes: false })
  // A backslash escapes a quote only in an E-string.
  if ((first === 'e' || first === 'E') && script[at + 1] === "'")
    return skipUntilQuote(script, at + 2, { quote: "'", hasEscapes: true })
  if (first !== '$') return at
  const tag = /^\$(?:[\p{L}_][\p{L}\p{N}_]*)?\$/u.exec(script.slice(at, at + 80))?.[0]
  if (!tag) return at
  const end = script.indexOf(tag, at + tag.length)
  return end === -1 ? script.length : end + tag.length
}

function skipUntilQuote(
  script: string,
  from: number,
  { quote, hasEscapes }: { readonly quote: string; readonly hasEscapes: boolean },
): number {
  for (let at = from; at < script.length; at += 1) {
    if (hasEscapes && script[at] === '\\') at += 1
    else if (script[at] === quote) {
      if (script[at + 1] !== quote) return at + 1
      at += 1
    }
  }
  return script.length
}
