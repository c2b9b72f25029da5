import { DatabaseError, serialize } from 'pg-protocol'
import type { BackendMessage } from 'pg-protocol/dist/messages.js'
import { Parser } from 'pg-protocol/dist/parser.js'
import type { Statement } from '../../kernel/sql.ts'
import type { Result, Row, TextColumn } from '../db.ts'
import type { Prepared } from './prepared.ts'
import { fromText, toParameter } from './values.ts'

/** The state after an exchange: idle, in a transaction, or in one that failed. */
export type TransactionStatus = 'I' | 'T' | 'E'

/** A column of a result, and how a value of its type is read. */
export type Column = TextColumn & { readonly parse: (text: string) => unknown }

export type Answer = {
  readonly results: Result[]
  /** Of each result, where the answer describes it. */
  readonly columns: readonly (readonly Column[] | undefined)[]
  readonly status: TransactionStatus
}

const DESCRIBE_PORTAL = serialize.describe({ type: 'P', name: '' })
const EXECUTE = serialize.execute({})
export const SYNC: Buffer = serialize.sync()

/** One statement's messages, without the Sync that ends an exchange.
 *  @param known A statement that is prepared, or null to parse it here and now. */
export function encodeStatement({ text, values }: Statement, known: Prepared | null): Buffer[] {
  const bind = serialize.bind({ statement: known?.name ?? '', values: values.map(toParameter) })
  if (known === null) return [serialize.parse({ text }), bind, DESCRIBE_PORTAL, EXECUTE]
  return known.columns === null ? [bind, DESCRIBE_PORTAL, EXECUTE] : [bind, EXECUTE]
}

export const encodePrepare = (name: string, text: string): Buffer => serialize.parse({ name, text })
export const encodeForget = (name: string): Buffer => serialize.close({ type: 'S', name })
export const encodeScript = (script: string): Buffer => serialize.query(script)

/** Reads a whole response.
 *  @param columnsOf The columns of a result, by its position, that was not asked to describe itself.
 *  @param isText Whether a result, by its position, is wanted as Postgres wrote it.
 *  @throws {DatabaseError} the first error in it, with the transaction status it left as `transactionStatus`. */
export function decode(
  bytes: Uint8Array,
  columnsOf: (index: number) => readonly Column[] = () => [],
  isText: (index: number) => boolean = () => false,
): Answer {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const results: Result[] = []
  const columns: (readonly Column[] | undefined)[] = []
  let failure: DatabaseError | null = null
  let status: TransactionStatus = 'I'
  let described: readonly Column[] | undefined
  let rows: Row[] = []
  let parts: Part[] = []
  for (let at = 0; at + HEADER <= buffer.length; ) {
    const body = at + HEADER
    const end = at + 1 + buffer.readUInt32BE(at + 1)
    switch (buffer[at]) {
      case ROW_DESCRIPTION:
        described = readColumns(buffer, body)
        break
      case NO_DATA:
        described = []
        break
      case DATA_ROW:
        if (isText(results.length)) addMessage(parts, at, end)
        else rows.push(readRow(buffer, body, described ?? columnsOf(results.length)))
        break
      case COMMAND_COMPLETE: {
        const result = { rows, ...readTag(buffer.toString('latin1', body, end - 1)) }
        const text = isText(results.length) && {
          columns: described ?? columnsOf(results.length),
          parts: parts.map(({ start, end }) => buffer.subarray(start, end)),
        }
        results.push(text ? { ...result, text } : result)
        columns.push(described)
        rows = []
        parts = []
        described = undefined
        break
      }
      case EMPTY_QUERY:
        columns.push(undefined)
        results.push({ rows: [], rowCount: 0, command: '' })
        break
      case READY_FOR_QUERY:
        status = String.fromCharCode(buffer[body] ?? 0) as TransactionStatus
        break
      case ERROR:
        failure ??= readError(buffer.subarray(at, end))
        break
      default:
    }
    at = end
  }
  if (failure) throw Object.assign(failure, { transactionStatus: status })
  return { results, columns, status }
}

/** A message's type and its length, which counts itself. */
const HEADER = 5
const ROW_DESCRIPTION = 'T'.charCodeAt(0)
const NO_DATA = 'n'.charCodeAt(0)
const DATA_ROW = 'D'.charCodeAt(0)
const COMMAND_COMPLETE = 'C'.charCodeAt(0)
const EMPTY_QUERY = 'I'.charCodeAt(0)
const READY_FOR_QUERY = 'Z'.charCodeAt(0)
const ERROR = 'E'.charCodeAt(0)

/** Where messages lie that follow each other. */
type Part = { readonly start: number; end: number }

function addMessage(parts: Part[], start: number, end: number): void {
  const last = parts.at(-1)
  if (last?.end === start) last.end = end
  else parts.push({ start, end })
}

/** Of each column its name, with a zero after it, and 18 bytes, of which the seventh to tenth are its type. */
function readColumns(buffer: Buffer, body: number): Column[] {
  const columns: Column[] = []
  let at = body + 2
  for (let left = buffer.readUInt16BE(body); left > 0; left--) {
    const end = buffer.indexOf(0, at)
    const type = buffer.readUInt32BE(end + 7)
    columns.push({ name: buffer.toString('utf8', at, end), type, parse: fromText(type) })
    at = end + 19
  }
  return columns
}

function readRow(buffer: Buffer, body: number, columns: readonly Column[]): Row {
  const row: Row = {}
  let at = body + 2
  for (const { name, parse } of columns) {
    const length = buffer.readInt32BE(at)
    at += 4
    row[name] = length < 0 ? null : parse(buffer.toString('utf8', at, at + length))
    if (length > 0) at += length
  }
  return row
}

/** The parser of node-postgres makes its `DatabaseError` of the message. */
function readError(message: Buffer): DatabaseError | null {
  let error: DatabaseError | null = null
  new Parser().parse(message, (read: BackendMessage) => {
    if (read instanceof DatabaseError) error = read
  })
  return error
}

/** "INSERT 0 3" and "SELECT 3" both count in their last word. */
function readTag(tag: string): { command: string; rowCount: number } {
  const words = tag.split(' ')
  return { command: words[0] ?? '', rowCount: Number(words.at(-1)) || 0 }
}
