/** A policy's expression as a tree. `text` is the node's SQL, as Postgres prints it. */
export type Condition =
  | { readonly kind: 'and' | 'or'; readonly text: string; readonly parts: readonly Condition[] }
  | { readonly kind: 'not'; readonly text: string; readonly parts: readonly [Condition] }
  | { readonly kind: 'test'; readonly text: string; readonly operands: Operands | null }

/** Both sides of a comparison. @property right Null for a set of values. */
export type Operands = { readonly left: string; readonly operator: string; readonly right: string | null }

const OPERATORS = [
  'IS NOT DISTINCT FROM',
  'IS DISTINCT FROM',
  '<=',
  '>=',
  '<>',
  '=',
  '<',
  '>',
  '~~*',
  '~~',
  'NOT IN',
  'IN',
]

/** Parses an expression printed by Postgres (`pg_get_expr`), which puts each operation in parentheses, so that a
 *  level's operators are outside all parentheses and quotes. Everything but AND, OR and NOT is one test. */
export function parseCondition(printed: string): Condition {
  const text = withoutParentheses(printed.trim())
  for (const kind of ['or', 'and'] as const) {
    const parts = splitAt(text, ` ${kind.toUpperCase()} `)
    if (parts.length > 1) return { kind, text, parts: parts.map(parseCondition) }
  }
  if (text.startsWith('NOT ')) return { kind: 'not', text, parts: [parseCondition(text.slice(4))] }
  return { kind: 'test', text, operands: splitOperands(text) }
}

export function nodesOf(condition: Condition): Condition[] {
  return [condition, ...(condition.kind === 'test' ? [] : condition.parts.flatMap(nodesOf))]
}

/** Simplifies an expression: `auth.uid()` for `( SELECT auth.uid() AS uid)`, `'open'` for `'open'::text`. */
export function readable(expression: string): string {
  const bare = withoutParentheses(expression.trim())
  const call = /^SELECT ([\w."]+\([^()]*\)) AS [\w"]+$/.exec(bare)
  return (call?.[1] ?? bare)
    .replaceAll(/('(?:[^']|'')*')::text/g, '$1')
    .replaceAll(/\(\s*SELECT ([\w."]+\([^()]*\)) AS [\w"]+\)/g, '$1')
    .replaceAll(/\s+/g, ' ')
}

function splitOperands(text: string): Operands | null {
  for (const operator of OPERATORS) {
    const [left, right, ...others] = splitAt(text, ` ${operator} `)
    if (left === undefined || right === undefined) continue
    if (others.length > 0) return null
    const isSet = operator.endsWith('IN') || /^(ANY|ALL)\b/.test(right)
    return { left, operator, right: isSet ? null : right }
  }
  return null
}

function withoutParentheses(text: string): string {
  if (!text.startsWith('(')) return text
  let end = -1
  scan(text, (position, depth) => {
    if (end === -1 && depth === 0 && text[position] === ')') end = position
  })
  return end === text.length - 1 ? withoutParentheses(text.slice(1, -1).trim()) : text
}

function splitAt(text: string, separator: string): string[] {
  const parts: string[] = []
  let start = 0
  scan(text, (position, depth) => {
    if (depth !== 0 || position < start || !text.startsWith(separator, position)) return
    parts.push(text.slice(start, position))
    start = position + separator.length
  })
  return [...parts, text.slice(start)]
}

/** Visits each character outside quotes, with the depth of parentheses and CASE blocks after it. */
function scan(text: string, visit: (position: number, depth: number) => void): void {
  let depth = 0
  for (let position = 0; position < text.length; position++) {
    const character = text[position]
    if (character === "'" || character === '"') {
      // A backslash only escapes in E'…', which Postgres prints for text with backslashes.
      const escapes = character === "'" && text[position - 1] === 'E'
      for (position++; position < text.length && text[position] !== character; position++)
        if (escapes && text[position] === '\\') position++
      continue
    }
    if (character === '(' || character === '[') depth++
    if (character === ')' || character === ']') depth--
    if (/^CASE\b/.test(text.slice(position, position + 5)) && !/\w/.test(text[position - 1] ?? '')) depth++
    if (/^END\b/.test(text.slice(position, position + 4)) && !/\w/.test(text[position - 1] ?? '')) depth--
    visit(position, depth)
  }
}
