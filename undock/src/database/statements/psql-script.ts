import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { literal } from '../../kernel/sql.ts'
import { atomicDepth, COPY_IN, openParentheses, rowsAfter, skipComment, skipQuoted, WORD } from './split-statements.ts'

export type PsqlStatement = {
  readonly text: string
  /** `\gset`'s prefix for the variables that it sets; null without `\gset`. */
  readonly gset: string | null
  /** Whether `\gexec` runs the result; the rows after `copy … from stdin`. */
  readonly isGexec?: boolean
  readonly rows?: string
}

export type PsqlFile = {
  readonly path: string
  readonly folder: string
  /** Read at each statement, so that its result can set variables for the next. */
  readonly variables: Map<string, string>
}

const MAX_INCLUDES = 16

/** Reads a file like psql, with `\set`, `\unset`, `\getenv`, `\i`, `\ir`, `\g`, `\gset`, `\gexec`, `\if`, `\q`, rows of
 *  COPY and variables, ignoring output commands.
 *  @see https://www.postgresql.org/docs/current/app-psql.html
 *  @throws {Error} for other commands, and for an unreadable file. */
export function* readPsqlFile({ path, folder, variables }: PsqlFile, depth = 0): Generator<PsqlStatement> {
  if (depth > MAX_INCLUDES) throw new Error(`${path} includes itself`)
  const script = readFileSync(path, 'utf8').replace(/^\uFEFF/, '')
  let text = ''
  let blocks = 0
  let parentheses = 0
  /** Open `\if`s: whether the current branch is read, and whether a later one can be. */
  const branches: { isRead: boolean; isOpen: boolean }[] = []
  const isRead = () => branches.every((branch) => branch.isRead)
  const take = (more: Partial<PsqlStatement> = {}): PsqlStatement[] => {
    const statement = { text: text.trim(), gset: null, ...more }
    text = ''
    return statement.text !== '' && isRead() ? [statement] : []
  }
  for (let at = 0; at < script.length; ) {
    const afterComment = skipComment(script, at)
    const end = afterComment > at ? afterComment : skipQuoted(script, at)
    const word = end > at ? undefined : WORD.exec(script.slice(at, at + 64))?.[0]
    const variable = end > at || word ? undefined : variableAt(script, at, variables)
    if (end > at) {
      text += afterComment > at ? ' ' : script.slice(at, end)
      at = end
    } else if (word) {
      blocks = atomicDepth(script, at, word.toLowerCase(), blocks)
      text += word
      at += word.length
    } else if (variable) {
      text += variable.text
      at += variable.length
    } else if (script[at] === '\\') {
      const { name, rest, length } = commandAt(script, at)
      at += length
      if (name === 'if') {
        const isTrue = isRead() && truth(argumentsIn(rest, variables).join(' '))
        branches.push({ isRead: isTrue, isOpen: isRead() && !isTrue })
      } else if (name === 'elif' || name === 'else' || name === 'endif') {
        const branch = branches.pop()
        if (!branch) throw new Error(`\\${name} has no \\if`)
        const isTrue =
          branch.isOpen && (name === 'else' || (name === 'elif' && truth(argumentsIn(rest, variables).join(' '))))
        if (name !== 'endif') branches.push({ isRead: isTrue, isOpen: branch.isOpen && !isTrue })
      } else if (!isRead()) continue
      else if (['g', 'gx', 'gset', 'gexec'].includes(name)) {
        yield* take({ gset: name === 'gset' ? rest : null, ...(name === 'gexec' && { isGexec: true }) })
      } else if (name === 'q' || name === 'quit') return
      else if (name === 'i' || name === 'include' || name === 'ir' || name === 'include_relative') {
        const from = name.endsWith('r') || name.endsWith('relative') ? dirname(path) : folder
        const included = resolve(from, argumentsIn(rest, variables).join(''))
        yield* readPsqlFile({ path: included, folder, variables }, depth + 1)
      } else if (name === 'set' || name === 'unset' || name === 'getenv') {
        const [key = '', ...values] = argumentsIn(rest, variables)
        const value = name === 'getenv' ? (process.env[values.join('')] ?? variables.get(key)) : values.join('')
        if (name === 'unset' || value === undefined) variables.delete(key)
        else variables.set(key, value)
      } else if (!OF_OUTPUT.includes(name)) throw new Error(`undock does not know the psql command \\${name}`)
    } else {
      parentheses = openParentheses(script[at], parentheses)
      if (script[at] === ';' && blocks === 0 && parentheses === 0) {
        const rows = COPY_IN.test(text.trim()) ? rowsAfter(script, at + 1) : null
        yield* take(rows ? { rows: rows.text } : {})
        if (rows) at = rows.end - 1
      } else text += script[at]
      at += 1
    }
  }
  if (branches.length > 0) throw new Error('\\if has no \\endif')
  yield* take()
}

/** psql accepts unique prefixes of booleans. */
function truth(value: string): boolean {
  const word = value.trim().toLowerCase()
  if (/^(?:1|on|t|tr|tru|true|y|ye|yes)$/.test(word)) return true
  if (/^(?:0|of|off|f|fa|fal|fals|false|n|no)$/.test(word)) return false
  throw new Error(`\\if needs a boolean, not "${value}"`)
}

/** Commands that affect neither the database nor later statements. */
const OF_OUTPUT = 'a t x o out pset timing echo qecho warn encoding restrict unrestrict'.split(' ')

function commandAt(script: string, at: number): { name: string; rest: string; length: number } {
  const [line, name = '', rest = ''] = /^\\([a-z_]+|.)[ \t]*([^\r\n]*)/.exec(script.slice(at)) ?? ['\\']
  return { name, rest: rest.trim(), length: line.length }
}

/** `:name`, `:'name'` and `:"name"`; an unset name stays as it is, as in psql. */
function variableAt(
  script: string,
  at: number,
  variables: ReadonlyMap<string, string>,
): { text: string; length: number } | undefined {
  if (script[at] !== ':') return undefined
  if (script[at + 1] === ':') return { text: '::', length: 2 }
  const [whole, quote, name = ''] = /^:(['"]?)(\w+)\1/.exec(script.slice(at, at + 128)) ?? []
  const value = variables.get(name)
  if (whole === undefined || value === undefined) return undefined
  const text = quote === "'" ? literal(value) : quote === '"' ? `"${value.replaceAll('"', '""')}"` : value
  return { text, length: whole.length }
}

const argumentsIn = (rest: string, variables: ReadonlyMap<string, string>): string[] =>
  [...rest.matchAll(/'((?:[^'\\]|''|\\.)*)'|\S+/g)].map(([word, quoted]) =>
    quoted === undefined
      ? (variableAt(word, 0, variables)?.text ?? word)
      : quoted.replaceAll(/''|\\(.)/g, (pair, escaped) => ESCAPES[escaped] ?? escaped ?? pair[0]),
  )

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t' }
