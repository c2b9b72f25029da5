import { syntaxTree } from '@codemirror/language'
import type { EditorState } from '@codemirror/state'

type Node = ReturnType<ReturnType<typeof syntaxTree>['resolveInner']>

/** Words before the name of a table. */
const BEFORE_TABLE = ['from', 'join', 'update', 'into', 'using']
/** Words between such a word and the name, and between the name and its alias. */
const BETWEEN = ['only', 'lateral', 'as']
/** Words after which commas no longer separate tables. */
const AFTER_TABLES = [
  'where',
  'set',
  'on',
  'group',
  'order',
  'having',
  'limit',
  'values',
  'returning',
  'select',
  'window',
]

/** The table that an alias stands for at a place, as the parts of its name: the nearest of the statement's queries that are around
 *  the place decides. Null when nothing has that alias. */
export function tableOf(state: EditorState, place: number, alias: string): readonly string[] | null {
  for (let node: Node | null = syntaxTree(state).resolveInner(place, -1); node; node = node.parent) {
    if (node.name !== 'Parens' && node.name !== 'Statement') continue
    const found = aliasesIn(state, node).get(partsOf(alias)[0] ?? '')
    if (found || node.name === 'Statement') return found ?? null
  }
  return null
}

/** The aliases of one query, without those of the queries in it. */
function aliasesIn(state: EditorState, query: Node): Map<string, readonly string[]> {
  const aliases = new Map<string, readonly string[]>()
  let isList = false
  let isTableNext = false
  let table: readonly string[] | null = null
  for (let node = query.firstChild; node; node = node.nextSibling) {
    const text = state.sliceDoc(node.from, node.to)
    const word = node.name === 'Keyword' ? text.toLowerCase() : null
    if (word !== null && BETWEEN.includes(word)) continue
    if (word !== null && BEFORE_TABLE.includes(word)) {
      isList = true
      isTableNext = true
      table = null
    } else if (word !== null && AFTER_TABLES.includes(word)) {
      isList = false
      isTableNext = false
      table = null
    } else if (node.name.endsWith('Identifier') && isTableNext) {
      table = partsOf(text)
      isTableNext = false
    } else if (node.name.endsWith('Identifier') && table) {
      aliases.set(partsOf(text)[0] ?? '', table)
      table = null
    } else {
      table = null
      isTableNext = isList && text === ','
    }
  }
  return aliases
}

/** The parts of a name: what is not quoted counts in lower case. */
const partsOf = (name: string): string[] =>
  [...name.matchAll(/"((?:[^"]|"")*)"|([^\s."]+)/g)].map(([, quoted, plain]) =>
    quoted === undefined ? (plain ?? '').toLowerCase() : quoted.replaceAll('""', '"'),
  )
