import { PostgreSQL, type SQLNamespace, sql } from '@codemirror/lang-sql'
import type { LanguageSupport } from '@codemirror/language'

/** PostgreSQL's SQL for the editor, which completes the names of a schema. */
export const sqlLanguage = (schema: SQLNamespace): LanguageSupport =>
  sql({ dialect: PostgreSQL, schema, defaultSchema: 'public' })
