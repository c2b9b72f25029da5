import type { Path } from './position.ts'
import type { RawTable } from './references.ts'

/** A JSON document cannot be read. @property line From 1. */
export class JsoncError extends Error {
  override readonly name = 'JsoncError'
  readonly line: number

  constructor(message: string, line: number) {
    super(message)
    this.line = line
  }
}

const GAP = /(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y
const STRING = /"(?:[^"\\\n]|\\.)*"/y
const SCALAR = /-?\d[\d.eE+-]*|true|false|null/y

/** Reads a table in JSON, where comments and commas at the end of lists may stand, as in `supabase/config.json` and `deno.json`.
 *  @param note Called with each key and its line from 1.
 *  @throws {JsoncError} */
export function parseJsonc(text: string, note: (path: Path, line: number) => void = () => undefined): RawTable {
  let at = 0
  const lineHere = (): number => text.slice(0, at).split('\n').length
  const fail = (expected: string): never => {
    const found = at < text.length ? JSON.stringify(text[at]) : 'the end of the file'
    throw new JsoncError(`expected ${expected}, not ${found}`, lineHere())
  }
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at
    const found = pattern.exec(text)?.[0]
    at += found?.length ?? 0
    return found
  }
  const skip = (sign: string): boolean => {
    take(GAP)
    if (text[at] !== sign) return false
    at += 1
    return true
  }
  /** What the patterns let through may still be no JSON, such as "\\x" and 1-2. */
  function parsed(pattern: RegExp, expected: string) {
    const from = at
    try {
      return JSON.parse(take(pattern) ?? fail(expected))
    } catch (error) {
      if (error instanceof SyntaxError) at = from
      throw error instanceof SyntaxError ? new JsoncError(`expected ${expected}`, lineHere()) : error
    }
  }
  const string = (): string => parsed(STRING, 'a string in double quotes')

  /** Reads up to the closing sign, one element at a time. */
  function elements(end: string, read: () => void): void {
    while (!skip(end)) {
      read()
      if (skip(',')) continue
      if (skip(end)) return
      fail(`a comma or ${end}`)
    }
  }

  function value(path: Path): unknown {
    take(GAP)
    if (text[at] === '{') return table(path)
    if (text[at] === '"') return string()
    if (skip('[')) {
      const list: unknown[] = []
      elements(']', () => list.push(value([...path, list.length])))
      return list
    }
    return parsed(SCALAR, 'a value')
  }

  function table(path: Path): RawTable {
    if (!skip('{')) fail('{')
    // A key such as __proto__ is no other than the rest.
    const found = new Map<string, unknown>()
    elements('}', () => {
      take(GAP)
      const key = string()
      note([...path, key], lineHere())
      if (!skip(':')) fail('a colon')
      found.set(key, value([...path, key]))
    })
    return Object.fromEntries(found)
  }

  const read = table([])
  take(GAP)
  if (at < text.length) fail('the end of the file')
  return read
}
