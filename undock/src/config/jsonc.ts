import {
  findNodeAtLocation,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser'
import type { Path } from './position.ts'
import { changedKeys, isTable, type RawTable, valueAt, withValues } from './values.ts'

/** Thrown for invalid JSON. @property line From 1. @property column From 1. */
export class JsoncError extends Error {
  override readonly name = 'JsoncError'
  readonly line: number
  readonly column: number

  constructor(message: string, text: string, offset: number) {
    super(message)
    const before = text.slice(0, offset).split('\n')
    this.line = before.length
    this.column = (before.at(-1) ?? '').length + 1
  }
}

/** Parses a table in JSON with comments and trailing commas, such as `supabase/config.jsonc` and `deno.json`.
 *  @param note Called with each key and its line from 1.
 *  @throws {JsoncError} */
export function parseJsonc(text: string, note: (path: Path, line: number) => void = () => undefined): RawTable {
  const errors: ParseError[] = []
  const plain = text.replace(/^\uFEFF/, ' ')
  const tree = parseTree(plain, errors, { allowTrailingComma: true })
  const [first] = errors
  if (first) {
    const message = printParseErrorCode(first.error).replace(/(?<!^)[A-Z]/g, (sign) => ` ${sign.toLowerCase()}`)
    throw new JsoncError(message, plain, first.offset)
  }
  if (tree?.type !== 'object') throw new JsoncError('Expected an object: {', plain, tree?.offset ?? 0)
  noteKeys(tree, [], (path, offset) => note(path, plain.slice(0, offset).split('\n').length))
  return getNodeValue(tree)
}

function noteKeys(node: Node, path: Path, note: (path: Path, offset: number) => void): void {
  for (const [index, child] of (node.children ?? []).entries()) {
    const [key, value] = child.children ?? []
    if (node.type === 'array') noteKeys(child, [...path, index], note)
    else if (key && value) {
      note([...path, key.value], key.offset)
      noteKeys(value, [...path, key.value], note)
    }
  }
}

/** Sets keys of a table in a JSON document, or removes them with null. Everything else stays, including comments.
 *  @returns null if that's impossible: the table is written twice, or isn't one. */
export function setJsonValues(
  text: string,
  table: readonly string[],
  values: Readonly<Record<string, unknown>>,
): string | null {
  const before = parseTree(text) ? parseJsonc(text) : {}
  const above = table.map((_, index) => valueAt(before, table.slice(0, index + 1)))
  if (above.some((value) => value !== undefined && !isTable(value))) return null
  const edited = edit(text, table, values)
  const after = parseTree(edited) ? parseJsonc(edited) : {}
  return changedKeys(after, withValues(before, table, values)).length === 0 ? edited : null
}

function edit(text: string, table: readonly string[], values: Readonly<Record<string, unknown>>): string {
  const unit = /^([ \t]+)"/m.exec(text)?.[1] ?? '  '
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  return Object.entries(values).reduce(
    (document, [key, value]) => {
      const path = [...table, key]
      const tree = parseTree(document)
      const node = tree && findNodeAtLocation(tree, path)
      if (node?.parent && value === null) return withoutMember(document, node.parent)
      if (node) return document.slice(0, node.offset) + print(value, indentAt(document, node)) + rest(document, node)
      return tree && value !== null ? withMember(document, tree, path, value) : document
    },
    parseTree(text) ? text : `${text}{}${eol}`,
  )

  function print(value: unknown, indent: string, isInline = false): string {
    return JSON.stringify(value, null, isInline ? 0 : unit).replaceAll('\n', eol + indent)
  }

  /** Adds a key after the last one of its table, whose comment stays on its line. */
  function withMember(document: string, outer: Node, [name = '', ...path]: readonly string[], value: unknown): string {
    const inner = path.length > 0 ? findNodeAtLocation(outer, [name]) : undefined
    if (inner?.type === 'object') return withMember(document, inner, path, value)
    const last = outer.children?.at(-1)
    const close = outer.offset + outer.length - 1
    const isInline = last && !document.slice(outer.offset, close).includes('\n')
    const indent = indentAt(document, last ?? outer)
    const content = path.reduceRight((child: unknown, part) => ({ [part]: child }), value)
    const member = (around: string) => `${JSON.stringify(name)}: ${print(content, around, isInline)}`
    if (!last) {
      const before = document.slice(0, close).trimEnd() + eol + indent
      return `${before}${unit}${member(indent + unit)}${eol}${indent}${document.slice(close)}`
    }
    const { upToComma, comma, comment } = afterMember(document, last)
    const before = document.slice(0, last.offset + last.length) + upToComma + (comma || ',') + comment
    const after = rest(document, last).slice((upToComma + comma + comment).length)
    return `${before}${isInline ? ' ' : eol + indent}${member(indent)}${comma}${after}`
  }
}

/** Removes a key with the comment on its line. */
function withoutMember(document: string, member: Node): string {
  const siblings = member.parent?.children ?? []
  const previous = siblings[siblings.indexOf(member) - 1]
  const { upToComma, comma, comment } = afterMember(document, member)
  let before = document.slice(0, member.offset)
  let after = rest(document, member).slice((upToComma + comma + comment).length)
  if (/\n[ \t]*$/.test(before) && /^\s*?\n/.test(after)) before = before.replace(/\r?\n[ \t]*$/, '')
  else after = after.trimStart()
  if (!previous || comma) return before + after
  // JSON allows no comma after what is the last key now.
  const end = previous.offset + previous.length
  const kept = afterMember(document, previous)
  return before.slice(0, end) + kept.upToComma + before.slice(end + (kept.upToComma + kept.comma).length) + after
}

/** The text between a key's value and the next key: up to the comma, the comma if any, and comments on its line. */
function afterMember(document: string, member: Node) {
  const text = rest(document, member)
  const [, upToComma = '', comma = ''] = /^((?:\s|\/\/.*\r?\n|\/\*(?:[^*]|\*(?!\/))*\*\/)*)(,)/.exec(text) ?? []
  const [comment = ''] = /^(?:[ \t]*(?:\/\/.*|\/\*.*?\*\/))*/.exec(text.slice((upToComma + comma).length)) ?? []
  return { upToComma, comma, comment }
}

const rest = (document: string, { offset, length }: Node): string => document.slice(offset + length)

const indentAt = (document: string, { offset }: Node): string =>
  /^[ \t]*/.exec(document.slice(document.lastIndexOf('\n', offset) + 1))?.[0] ?? ''
