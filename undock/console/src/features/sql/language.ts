import type { CompletionContext, CompletionResult, CompletionSource } from '@codemirror/autocomplete'
import { keywordCompletionSource, PostgreSQL, schemaCompletionSource } from '@codemirror/lang-sql'
import { LanguageSupport } from '@codemirror/language'
import { ident } from '../../lib/sql.ts'
import { tableOf } from './aliases.ts'

/** What the editor completes.
 *  @property schemas The names of columns by schema and table.
 *  @property functions Names, with the schema where that is needed. */
export type Names = {
  readonly schemas: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>
  readonly functions: readonly string[]
}

export const NO_NAMES: Names = { schemas: {}, functions: [] }

/** PostgreSQL's SQL for the editor, which completes the names of a database. */
export function sqlLanguage({ schemas, functions }: Names): LanguageSupport {
  const tables = schemaCompletionSource({ dialect: PostgreSQL, schema: schemas, defaultSchema: 'public' })
  const keywords = keywordCompletionSource(PostgreSQL)
  const sources: CompletionSource[] = [
    (context) => columnsOfAlias(context, schemas) ?? tables(context),
    (context) => namesOfFunctions(context, functions),
    // After a dot comes a name.
    (context) => (context.matchBefore(/\.\w*/) ? null : keywords(context)),
  ]
  const { language } = PostgreSQL
  return new LanguageSupport(
    language,
    sources.map((autocomplete) => language.data.of({ autocomplete })),
  )
}

/** The columns after `b.`, also in the queries within a statement, where the language's own completion knows no alias. */
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
  // People look for their tables and columns first.
  const options = functions.map((label) => ({ label, type: 'function', apply: `${label}(`, boost: -10 }))
  return { from: word.from, options, validFor: /^[\w$.]*$/ }
}
