import {
  applyEdits,
  findNodeAtLocation,
  getNodeValue,
  modify,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser'
import type { Path } from './position.ts'
import type { RawTable } from './values.ts'

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

/** Sets keys of a table in a JSON document, or removes them with null. Everything else stays, including comments. */
export function setJsonValues(
  text: string,
  table: readonly string[],
  values: Readonly<Record<string, unknown>>,
): string {
  const indent = /^([ \t]+)"/m.exec(text)?.[1] ?? '  '
  const formattingOptions = {
    insertSpaces: !indent.startsWith('\t'),
    tabSize: indent.length,
    eol: text.includes('\r\n') ? '\r\n' : '\n',
  }
  return Object.entries(values).reduce(
    (document, [key, value]) => {
      const path = [...table, key]
      const tree = parseTree(document)
      if (value === null && (!tree || !findNodeAtLocation(tree, path))) return document
      const edit = (from: string) => applyEdits(from, modify(from, path, value ?? undefined, { formattingOptions }))
      const comment = tree && commentAtEnd(document, tree, path)
      if (!comment) return edit(document)
      // Added keys follow the last one, whose comment stays on its line.
      const { end, text: kept, comma } = comment
      const edited = edit(document.slice(0, end + comma) + document.slice(end + comma + kept.length))
      return edited.slice(0, end + 1) + kept + edited.slice(end + 1)
    },
    text.trim() === '' ? '{}\n' : text,
  )
}

/** The comment on the line of the last key, after which a new key is added. */
function commentAtEnd(
  document: string,
  tree: Node,
  path: string[],
): { end: number; comma: number; text: string } | null {
  let table = tree
  for (const key of path) {
    const next = findNodeAtLocation(table, [key])
    if (!next) break
    table = next
  }
  const last = table.type === 'object' ? table.children?.at(-1) : undefined
  if (!last) return null
  const end = last.offset + last.length
  const [, comma = '', text] = /^(,?)([ \t]*(?:\/\/[^\r\n]*|\/\*.*?\*\/))/.exec(document.slice(end)) ?? []
  return text === undefined ? null : { end, comma: comma.length, text }
}
