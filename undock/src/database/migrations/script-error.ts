import { UserError } from '../../kernel/service-error.ts'
import { debianPackage, KNOWN_EXTENSIONS } from '../extensions/known-extensions.ts'
import { DEFAULT_MAJOR } from '../postgres/postgres-package.ts'
import type { ScriptStatement } from '../statements/split-statements.ts'

const EXCERPT_LINES = 12

type PostgresFields = { code?: string; detail?: string; hint?: string; where?: string; position?: string }

/** A script of the project failed. The message has file and line, Postgres' message and the statement. */
export class ScriptError extends UserError {
  readonly path: string
  readonly line: number

  constructor(path: string, failed: ScriptStatement, cause: Error, unusable: Readonly<Record<string, string>> = {}) {
    const { code, detail, hint, where, position } = cause as Error & PostgresFields
    const missing = MISSING_EXTENSION.exec(cause.message)?.[1]
    const advice = missing ? adviceFor(missing, unusable[missing]) : hint
    const line = failed.line + linesBefore(failed.text, Number(position) || 0)
    const state = code ? ` (SQLSTATE ${code})` : ''
    const notes = [detail && `Detail: ${detail}`, advice && `Hint: ${advice}`, where && `Where: ${where}`].filter(
      Boolean,
    )
    super([`${path}:${line}: ${cause.message}${state}`, ...notes, '', excerpt(failed.text)].join('\n'), { cause })
    this.path = path
    this.line = line
  }
}

const MISSING_EXTENSION = /extension "([^"]+)" is not available/

function adviceFor(extension: string, reason: string | undefined): string {
  const refused = KNOWN_EXTENSIONS[extension]?.refused
  const found = reason
    ? `${extension} is not usable on this machine: ${reason}.`
    : refused && `undock has no ${extension}. ${refused}`
  const elsewhere = `The native engine takes it from a PostgreSQL of the same major version on this machine (Debian, Ubuntu: ${debianPackage(extension, DEFAULT_MAJOR)}), and database_url names another server.`
  const without = 'Set missing_extensions = "warn" in supabase/undock.toml to continue without it.'
  return [found, refused ? null : elsewhere, without].filter(Boolean).join(' ')
}

const linesBefore = (text: string, position: number): number =>
  Array.from(text)
    .slice(0, Math.max(0, position - 1))
    .filter((character) => character === '\n').length

function excerpt(text: string): string {
  const lines = text.split('\n')
  const numbered = lines.slice(0, EXCERPT_LINES).map((line) => `  ${line}`)
  return [
    ...numbered,
    ...(lines.length > EXCERPT_LINES ? [`  … ${lines.length - EXCERPT_LINES} more lines`] : []),
  ].join('\n')
}
