import { readFileSync } from 'node:fs'
import { parseSync } from 'vite'

/** A node of the syntax tree, as far as the reference reads it. */
export type Node = {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [part: string]: unknown
}

/** A file of TypeScript. */
export type Source = {
  readonly text: string
  /** The statements of the module. */
  readonly body: readonly Node[]
  textOf(node: Node): string
  /** The text of the doc comment right before a place, without its stars; empty where there is none. */
  docBefore(node: Node): string
}

export function readSource(path: string): Source {
  const text = readFileSync(path, 'utf8')
  const { program, comments } = parseSync(path, text)
  const docs = comments.filter(({ type, value }) => type === 'Block' && value.startsWith('*'))
  return {
    text,
    body: nodesOf(program, 'body'),
    textOf: ({ start, end }) => text.slice(start, end),
    docBefore({ start }) {
      const doc = docs.findLast(({ end }) => end <= start && text.slice(end, start).trim() === '')
      return doc === undefined ? '' : plainDoc(doc.value)
    },
  }
}

const plainDoc = (comment: string): string =>
  comment
    .slice(1)
    .split('\n')
    .map((line) => line.replace(/^\s*\*? {0,2}/, ''))
    .join('\n')
    .trim()

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'

export const nodeOf = (parent: object, part: string): Node | null => {
  const value: unknown = Reflect.get(parent, part)
  return isNode(value) ? value : null
}

export function nodesOf(parent: object, part: string): Node[] {
  const value: unknown = Reflect.get(parent, part)
  return Array.isArray(value) ? value.filter(isNode) : []
}

/** The name of an identifier, or the text of a literal. */
export function nameOf(node: Node | null): string {
  const value = node?.type === 'Identifier' ? node.name : node?.value
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

/** A node without `as const`, `satisfies …` and parentheses around it. */
export function bare(node: Node): Node {
  const inner = /^(?:TSAsExpression|TSSatisfiesExpression|ParenthesizedExpression)$/.test(node.type)
    ? nodeOf(node, 'expression')
    : null
  return inner === null ? node : bare(inner)
}

/** The values of the constants of a module, by name. */
export function constantsOf({ body }: Source): Map<string, Node> {
  const declarations = body.flatMap((one) => nodesOf(nodeOf(one, 'declaration') ?? one, 'declarations'))
  return new Map(
    declarations.flatMap((one) => {
      const value = nodeOf(one, 'init')
      return value === null ? [] : [[nameOf(nodeOf(one, 'id')), bare(value)] as const]
    }),
  )
}

/** A cell of a table in Markdown. */
export const cell = (text: string): string => prose(text).replaceAll('\n', ' ').replaceAll('|', '\\|')

/** Text between Markdown's own marks, which code of a page must not take for its own. */
export const prose = (text: string): string =>
  text.replaceAll(/`[^`]*`|[<{]/g, (found) => (found === '<' ? '&lt;' : found === '{' ? '&#123;' : found))

/** Code in a cell of a table. */
export const codeCell = (text: string): string => `\`${text.replaceAll('|', '\\|')}\``
