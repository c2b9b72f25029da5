import type { CompletionContext, CompletionResult, CompletionSource } from '@codemirror/autocomplete'
import { keywordCompletionSource, PostgreSQL, schemaCompletionSource } from '@codemirror/lang-sql'
import { LanguageSupport, syntaxTree } from '@codemirror/language'
import type { EditorState } from '@codemirror/state'
import { ident } from '../../lib/sql.ts'

/** Completions of the editor. @property schemas Column names by schema and table.
 *  @property functions Names, with a schema if not on the search path. */
export type Names = {
  readonly schemas: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>
  readonly functions: readonly string[]
}

export const NO_NAMES: Names = { schemas: {}, functions: [] }

/** PostgreSQL's SQL for the editor, with completion of a database's names. */
export function sqlLanguage({ schemas, functions }: Names): LanguageSupport {
  const tables = schemaCompletionSource({ dialect: PostgreSQL, schema: schemas, defaultSchema: 'public' })
  const keywords = keywordCompletionSource(PostgreSQL)
  const sources: CompletionSource[] = [
    (context) => columnsOfAlias(context, schemas) ?? tables(context),
    (context) => namesOfFunctions(context, functions),
    // A name follows a dot.
    (context) => (context.matchBefore(/\.\w*/) ? null : keywords(context)),
  ]
  const { language } = PostgreSQL
  return new LanguageSupport(
    language,
    sources.map((autocomplete) => language.data.of({ autocomplete })),
  )
}

/** Completes columns after `b.`, also in subqueries, where the language's own completion knows no aliases. */
function columnsOfAlias(context: CompletionContext, schemas: Names['schemas']): CompletionResult | null {
  const { state, pos } = context
  const before = context.matchBefore(/["\w$.]+/)?.text ?? ''
  const [, alias, word = ''] = /("[^"]*"|[\w$]+)\.([\w$]*)$/.exec(before) ?? []
  const table = alias === undefined ? null : tableOf(state, pos - word.length, alias)
  const [schema, name] = table?.length === 1 ? ['public', ...table] : (table ?? [])
  const columns: readonly string[] | undefined = schemas[schema ?? '']?.[name ?? '']
  if (!Array.isArray(columns)) return null
  const options = columns.map((label) => ({ label, type: 'property', apply: PLAIN.test(label) ? label : ident(label) }))
  return { from: pos - word.length, options, validFor: /^[\w$]*$/ }
}

/** A name that needs no quotes. */
const PLAIN = /^[a-z_][a-z0-9_$]*$/

function namesOfFunctions(context: CompletionContext, functions: readonly string[]): CompletionResult | null {
  const word = context.matchBefore(/[\w$.]+/)
  if (!word) return null
  // The project's tables and columns come first.
  const options = functions.map((label) => ({ label, type: 'function', apply: `${label}(`, boost: -10 }))
  return { from: word.from, options, validFor: /^[\w$.]*$/ }
}

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

/** Returns the parts of the table name behind an alias at a position. The innermost query around it decides. Null if there's no
 *  such alias. */
function tableOf(state: EditorState, place: number, alias: string): readonly string[] | null {
  for (let node: Node | null = syntaxTree(state).resolveInner(place, -1); node; node = node.parent) {
    if (node.name !== 'Parens' && node.name !== 'Statement') continue
    const table = aliasesIn(state, node).get(partsOf(alias)[0] ?? '')
    if (table || node.name === 'Statement') return table ?? null
  }
  return null
}

/** Returns one query's aliases, without its subqueries'. */
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

/** Returns the parts of a name; unquoted ones are lowercased. */
const partsOf = (name: string): string[] =>
  [...name.matchAll(/"((?:[^"]|"")*)"|([^\s."]+)/g)].map(([, quoted, plain]) =>
    quoted === undefined ? (plain ?? '').toLowerCase() : quoted.replaceAll('""', '"'),
  )
