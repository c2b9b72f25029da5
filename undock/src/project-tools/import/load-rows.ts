// Rows in the text format of COPY.
// @see https://www.postgresql.org/docs/current/sql-copy.html#SQL-COPY-FILE-FORMATS

import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import pg from 'pg'
import { from, to } from 'pg-copy-streams'
import type { Fakes } from './fakes/choose-fakes.ts'
import type { Replace } from './fakes/fake-column.ts'
import type { ImportedTable, PlannedKey } from './plan.ts'
import { insteadOf } from './platform-rows.ts'
import { ImportError } from './source.ts'

/** The maximum bytes in memory, except for a single row: undock's database buffers the rows of one COPY. */
const PART = 4 * 1024 * 1024

type CopyOptions = {
  readonly source: pg.Client
  readonly target: pg.Client
  /** Selects the rows at the source. */
  readonly query: string
  /** The table at the target, with its columns in the order of the query. */
  readonly into: string
  /** Changes complete rows, in the text format of COPY. */
  readonly change: ((rows: Buffer) => Buffer) | null
  onProgress(rows: number): void
  readonly signal: AbortSignal
}

/** Copies rows from one database into another, part by part. @returns how many. */
async function copyRows({ source, target, query, into, change, onProgress, signal }: CopyOptions): Promise<number> {
  let count = 0
  for await (const part of completeRows(source.query(to(`copy (${query}) to stdout`)))) {
    signal.throwIfAborted()
    const writer = target.query(from(`copy ${into} from stdin`))
    await pipeline(Readable.from([change ? change(part) : part]), writer, { signal })
    count += writer.rowCount
    onProgress(count)
  }
  return count
}

/** Splits at row ends: a line feed within a value is escaped. */
export async function* completeRows(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let pieces: Buffer[] = []
  let size = 0
  for await (const piece of stream) {
    const end = piece.lastIndexOf(0x0a) + 1
    size += piece.length
    if (size < PART || end === 0) {
      pieces.push(piece)
      continue
    }
    yield Buffer.concat([...pieces, piece.subarray(0, end)])
    pieces = [piece.subarray(end)]
    size = piece.length - end
  }
  if (size > 0) yield Buffer.concat(pieces)
}

const ESCAPED: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' }
const ESCAPES: Readonly<Record<string, string>> = {
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
}

const readValue = (text: string): string =>
  text.includes('\\') ? text.replaceAll(/\\(.)/gs, (_, char: string) => ESCAPED[char] ?? char) : text

const writeValue = (value: string): string => value.replaceAll(/[\b\f\n\r\t\v\\]/g, (char) => ESCAPES[char] ?? char)

/** Replaces values in complete rows. @param replace By column; null keeps it. NULL stays NULL. */
export function replaceInRows(rows: Buffer, replace: readonly (Replace | null)[]): Buffer {
  const lines = rows.toString().split('\n')
  const replaced = lines.map((line, index) => (index === lines.length - 1 ? line : replaceInRow(line, replace)))
  return Buffer.from(replaced.join('\n'))
}

const replaceInRow = (line: string, replace: readonly (Replace | null)[]): string =>
  line
    .split('\t')
    .map((text, column) => {
      const one = replace[column]
      return one && text !== '\\N' ? writeValue(one(readValue(text))) : text
    })
    .join('\t')

/** @property mayLack The keys whose rows may have to be fetched from the source. @property fakes Null imports the original values.
 *  @property onProgress Called with the number of a table's rows copied so far. */
export type LoadOptions = {
  readonly source: pg.Client
  readonly target: pg.Client
  readonly mayLack: readonly PlannedKey[]
  readonly fakes: Fakes | null
  onProgress(table: string, rows: number): void
  readonly signal: AbortSignal
}

/** Copies single tables' rows, and remembers what later queries to the source need. */
export type Loader = {
  readonly counts: Map<string, number>
  /** The source's value of a fake that rows refer to. */
  realOf(text: string): string
  /** @param rest What follows the table and its alias `t` in the query. @returns the number of rows. */
  load(table: ImportedTable, rest: string): Promise<number>
}

export function createLoader({ source, target, mayLack, fakes, onProgress, signal }: LoadOptions): Loader {
  const counts = new Map<string, number>()
  const reals = new Map<string, string>()
  const references = new Set(
    mayLack.flatMap(({ child, childColumns }) => childColumns.map((name) => JSON.stringify([child, name]))),
  )

  function replaceOf(table: string, column: string) {
    const replace = fakes?.of(table, column) ?? null
    if (!replace || !references.has(JSON.stringify([table, column]))) return replace
    return (value: string): string => {
      const fake = replace(value)
      if (fake !== value) reals.set(fake, value)
      return fake
    }
  }

  return {
    counts,
    realOf: (text) => reals.get(text) ?? text,
    async load({ local, source: { id, isPartitioned }, columns }, rest) {
      if (columns.length === 0) throw new ImportError(`${local.id} has no column in common with the source.`)
      const before = counts.get(local.id) ?? 0
      const replace = columns.map(({ name }) => replaceOf(local.id, name))
      const values = columns.map(
        ({ name }) => insteadOf(local.id, name, fakes !== null) ?? `t.${pg.escapeIdentifier(name)}`,
      )
      const names = columns.map(({ name }) => pg.escapeIdentifier(name)).join(', ')
      const count = await copyRows({
        source,
        target,
        query: `select ${values.join(', ')} from ${isPartitioned ? '' : 'only '}${id} t ${rest}`,
        into: `${local.id} (${names})`,
        change: replace.some(Boolean) ? (rows) => replaceInRows(rows, replace) : null,
        onProgress: (rows) => onProgress(local.id, before + rows),
        signal,
      }).catch((error) => {
        throw explainCopyError(error, local.id)
      })
      counts.set(local.id, before + count)
      return count
    },
  }
}

/** The driver's message doesn't name the table or a remedy. */
function explainCopyError(error: unknown, table: string): unknown {
  if (!(error instanceof pg.DatabaseError)) return error
  const place = /column \S+/.exec(error.where ?? '')?.[0]
  const name = error.constraint === undefined ? '' : ` (${error.constraint})`
  return new ImportError(`${table}${place ? `, ${place}` : ''}: ${error.message}${name}`, { cause: error })
}
