import { tryJson } from '../kernel/json.ts'

export type Path = readonly (string | number)[]

/** Returns the line (from 1) of a key, or of its closest table in the file. */
export type LineOf = (path: Path) => number | undefined

const BARE_KEY = /[A-Za-z0-9_-]+/y
const BASIC_KEY = /"(?:[^"\\]|\\.)*"/y
const LITERAL_KEY = /'[^']*'/y
const BLANK = /[ \t]*/y
const STRINGS = [/"""(?:[^\\]|\\[\s\S])*?"{3,5}/y, /'''[\s\S]*?'{3,5}/y, /"(?:[^"\\\n]|\\.)*"/y, /'[^'\n]*'/y]

/** Finds the line of each key of a valid TOML document, which the parser doesn't report. */
export function indexKeys(toml: string): LineOf {
  const { note, lineOf } = collectLines()
  scanToml(toml, { key: note, comment: () => undefined })
  return lineOf
}

/** Visits a TOML document's keys and comments in order. A comment within or after a value is `isTrailing`. */
export function scanToml(
  toml: string,
  visit: { key(path: Path, line: number): void; comment(text: string, isTrailing: boolean): void },
): void {
  const arrays = new Map<string, number>()
  let at = 0
  let line = 1
  let table: string[] = []

  const note = (path: Path) => visit.key(path, line)
  const skipComment = (isTrailing: boolean) => {
    const end = endOfLine(toml, at)
    visit.comment(toml.slice(at + 1, end).trim(), isTrailing)
    at = end
  }
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at
    const found = pattern.exec(toml)?.[0]
    at += found?.length ?? 0
    return found
  }
  const takeKey = (): string[] => {
    const parts: string[] = []
    for (;;) {
      take(BLANK)
      const quoted = take(BASIC_KEY)
      const part = quoted === undefined ? (take(LITERAL_KEY)?.slice(1, -1) ?? take(BARE_KEY)) : unquote(quoted)
      if (part === undefined) return parts
      parts.push(part)
      take(BLANK)
      if (toml[at] !== '.') return parts
      at += 1
    }
  }
  const skipValue = () => {
    for (let depth = 0; at < toml.length; ) {
      const char = toml[at]
      if (char === '\n' && depth === 0) return
      if (char === '#') skipComment(true)
      else {
        const string = STRINGS.map(take).find((found) => found !== undefined)
        line += string === undefined ? Number(char === '\n') : string.split('\n').length - 1
        if (string !== undefined) continue
        if (char === '[' || char === '{') depth += 1
        if (char === ']' || char === '}') depth -= 1
        at += 1
      }
    }
  }

  while (at < toml.length) {
    take(/[ \t\r\uFEFF]*/y)
    const char = toml[at]
    if (char === '\n') {
      at += 1
      line += 1
    } else if (char === '#') skipComment(false)
    else if (char === '[') {
      const isArray = toml[at + 1] === '['
      at += isArray ? 2 : 1
      table = takeKey()
      note(table)
      if (isArray) {
        const id = identify(table)
        const index = arrays.get(id) ?? 0
        arrays.set(id, index + 1)
        table = [...table, String(index)]
        note(table)
      }
      take(/[^#\n]*/y)
      if (toml[at] === '#') skipComment(true)
    } else {
      const key = takeKey()
      for (let depth = 1; depth <= key.length; depth += 1) note([...table, ...key.slice(0, depth)])
      skipValue()
    }
  }
}

const nearest =
  (lines: ReadonlyMap<string, number>): LineOf =>
  (path) => {
    for (let length = path.length; length > 0; length -= 1) {
      const line = lines.get(identify(path.slice(0, length)))
      if (line !== undefined) return line
    }
    return undefined
  }

export function collectLines(): { note(path: Path, line: number): void; readonly lineOf: LineOf } {
  const lines = new Map<string, number>()
  const note = (path: Path, line: number) => {
    const id = identify(path)
    if (!lines.has(id)) lines.set(id, line)
  }
  return { note, lineOf: nearest(lines) }
}

/** Keys in these files are case-insensitive. */
const identify = (path: Path) => JSON.stringify(path.map((part) => String(part).toLowerCase()))

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from)
  return end === -1 ? text.length : end
}

function unquote(basic: string): string {
  const longEscapes = basic.replace(/\\U([0-9A-Fa-f]{8})/g, (_, hex: string) =>
    String.fromCodePoint(Number.parseInt(hex, 16)),
  )
  // TOML 1.1 has escapes that JSON lacks (\e, \xHH); such keys get their table's line.
  return String(tryJson(longEscapes) ?? basic.slice(1, -1))
}
