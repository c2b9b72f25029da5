import { skipComment, skipQuoted, splitStatements, WORD } from './split-statements.ts'

/** What a statement destroys permanently.
 *  @property kind The object's kind, such as `table`; for `delete` and `update`, a table whose rows are all affected.
 *  @property name As written in the statement.
 *  @property column The column of table `name`, if only that is dropped.
 *  @property isOptional `if exists`: there may be nothing to drop. */
export type Loss = {
  readonly action: 'drop' | 'truncate' | 'delete' | 'update'
  readonly kind: string
  readonly name: string
  readonly column?: string
  readonly isOptional: boolean
  readonly cascades: boolean
}

/** Kinds of more than one word; otherwise it's the word after `drop`. */
const LONG_KINDS = [
  'materialized view',
  'foreign table',
  'foreign data wrapper',
  'event trigger',
  'access method',
  'operator class',
  'operator family',
  'text search configuration',
  'text search dictionary',
  'text search parser',
  'text search template',
  'user mapping',
  'procedural language',
  'owned by',
]

/** Returns what a statement destroys: dropped objects and columns, emptied tables, and rows deleted or changed without
 *  a condition. Searches the text of DO blocks, but not statements that they build at run time. */
export function lossesOf(statement: string): Loss[] {
  const tokens = readTokens(statement)
  switch (tokens[0]?.word) {
    case 'drop':
      return droppedBy(statement, tokens)
    case 'truncate':
      return emptiedBy(statement, tokens)
    case 'alter':
      return droppedColumns(statement, tokens)
    case 'delete':
    case 'update':
    case 'with':
      return unconditional(statement, tokens)
    case 'explain':
      return tokens.some(({ word }) => word === 'analyze' || word === 'analyse') ? unconditional(statement, tokens) : []
    case 'do':
      return inBlock(tokens.find(({ body }) => body !== undefined)?.body ?? '')
    default:
      return []
  }
}

/** @property word Lower case; undefined for quoted names, strings and symbols. @property body Text of a dollar quote. */
type Token = {
  readonly word?: string
  readonly body?: string
  readonly sign?: string
  readonly depth: number
  readonly start: number
  readonly end: number
}

function readTokens(text: string): Token[] {
  const tokens: Token[] = []
  let depth = 0
  for (let at = 0; at < text.length; ) {
    const rest = skipComment(text, at)
    if (rest > at || /\s/.test(text[at] as string)) {
      at = Math.max(rest, at + 1)
      continue
    }
    const quoted = skipQuoted(text, at)
    const word = quoted > at ? undefined : WORD.exec(text.slice(at, at + 200))?.[0]
    const end = quoted > at ? quoted : at + (word?.length ?? 1)
    const place = { start: at, end, depth }
    if (word) tokens.push({ ...place, word: word.toLowerCase() })
    else if (quoted > at) {
      const tag = text[at] === '$' ? text.slice(at, text.indexOf('$', at + 1) + 1) : null
      tokens.push(tag ? { ...place, body: text.slice(at + tag.length, end - tag.length) } : place)
    } else {
      const sign = text[at] as string
      if (sign === ')') depth = Math.max(0, depth - 1)
      tokens.push({ ...place, sign, depth })
      if (sign === '(') depth += 1
    }
    at = end
  }
  return tokens
}

/** Returns the position after these words, or `at` if they aren't there. */
const after = (tokens: readonly Token[], at: number, ...words: readonly string[]): number =>
  words.every((word, n) => tokens[at + n]?.word === word) ? at + words.length : at

const textOf = (text: string, tokens: readonly Token[]): string =>
  text.slice(tokens[0]?.start ?? 0, tokens.at(-1)?.end ?? 0)

function listed(tokens: readonly Token[]): Token[][] {
  const parts: Token[][] = [[]]
  for (const token of tokens)
    if (token.sign === ',' && token.depth === 0) parts.push([])
    else if (token.sign !== ';') parts.at(-1)?.push(token)
  return parts.filter((part) => part.length > 0)
}

function droppedBy(text: string, tokens: readonly Token[]): Loss[] {
  const long = LONG_KINDS.find((kind) => after(tokens, 1, ...kind.split(' ')) > 1)
  const kind = long ?? tokens[1]?.word
  if (kind === undefined) return []
  const named = after(tokens, 1 + kind.split(' ').length, 'concurrently')
  const first = after(tokens, named, 'if', 'exists')
  const names = tokens.slice(first).filter(({ word }) => word !== 'cascade' && word !== 'restrict')
  return listed(names).map((part) => ({
    action: 'drop',
    kind,
    name: textOf(text, part),
    isOptional: first > named,
    cascades: tokens.some(({ word }) => word === 'cascade'),
  }))
}

const TRUNCATE_OPTIONS = ['restart', 'continue', 'identity', 'cascade', 'restrict', 'only']

function emptiedBy(text: string, tokens: readonly Token[]): Loss[] {
  const names = tokens
    .slice(after(tokens, 1, 'table'))
    .filter(({ word, sign }) => sign !== '*' && !TRUNCATE_OPTIONS.includes(word ?? ''))
  const cascades = tokens.some(({ word }) => word === 'cascade')
  return listed(names).map((part) => ({
    action: 'truncate',
    kind: 'table',
    name: textOf(text, part),
    isOptional: false,
    cascades,
  }))
}

/** Words after `drop` in an `alter table` that drops no column. */
const NO_COLUMN = ['constraint', 'not', 'default', 'identity', 'expression']

function droppedColumns(text: string, tokens: readonly Token[]): Loss[] {
  const kind = after(tokens, 1, 'foreign', 'table') > 1 ? 'foreign table' : tokens[1]?.word
  if (kind !== 'table' && kind !== 'foreign table' && kind !== 'type') return []
  const at = after(tokens, after(tokens, 1 + kind.split(' ').length, 'if', 'exists'), 'only')
  const end = pathEnd(tokens, at)
  const name = textOf(text, tokens.slice(at, end))
  return listed(tokens.slice(end)).flatMap((part): Loss[] => {
    const [first, next] = part[0]?.sign === '*' ? part.slice(1) : part
    if (first?.word !== 'drop' || NO_COLUMN.includes(next?.word ?? '')) return []
    const from = part.indexOf(first) + 1
    const named = Math.max(after(part, from, 'column'), after(part, from, 'attribute'))
    const place = after(part, named, 'if', 'exists')
    const column = part[place]
    if (!column) return []
    const cascades = part.slice(place + 1).some(({ word }) => word === 'cascade')
    return [{ action: 'drop', kind, name, column: textOf(text, [column]), isOptional: place > named, cascades }]
  })
}

function pathEnd(tokens: readonly Token[], at: number): number {
  let end = at + 1
  while (tokens[end]?.sign === '.') end += 2
  return end
}

/** Words before an `update` that isn't a statement: `for update`, `on update`, `do update`. */
const NO_STATEMENT = ['for', 'on', 'do', 'no', 'key', 'of']

function unconditional(text: string, tokens: readonly Token[]): Loss[] {
  return tokens.flatMap(({ word, depth }, at): Loss[] => {
    const isUpdate = word === 'update' && !NO_STATEMENT.includes(tokens[at - 1]?.word ?? '')
    if (!isUpdate && !(word === 'delete' && tokens[at + 1]?.word === 'from')) return []
    const first = after(tokens, at + (isUpdate ? 1 : 2), 'only')
    const name = textOf(text, tokens.slice(first, pathEnd(tokens, first)))
    for (const later of tokens.slice(first)) {
      if (later.depth < depth || (later.sign === ')' && later.depth === depth - 1)) break
      if (later.word === 'where' && later.depth === depth) return []
    }
    return [{ action: isUpdate ? 'update' : 'delete', kind: 'table', name, isOptional: false, cascades: false }]
  })
}

const BEGINNINGS = ['drop', 'truncate', 'alter', 'delete', 'update', 'with']
const BEFORE_STATEMENT = ['begin', 'then', 'else', 'loop']

function inBlock(body: string): Loss[] {
  return splitStatements(body).flatMap(({ text }) => {
    const tokens = readTokens(text)
    const first = tokens.findIndex(
      ({ word = '' }, at) =>
        BEGINNINGS.includes(word) && (at === 0 || BEFORE_STATEMENT.includes(tokens[at - 1]?.word ?? '')),
    )
    return first === -1 ? [] : lossesOf(text.slice(tokens[first]?.start))
  })
}
