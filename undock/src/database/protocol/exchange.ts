/// <reference path="../../platform/untyped-packages.d.ts" />
import { hash } from 'node:crypto'
import TypeOverrides from 'pg/lib/type-overrides.js'
import utils from 'pg/lib/utils.js'
import { DatabaseError, serialize } from 'pg-protocol'
import type { BackendMessage } from 'pg-protocol/dist/messages.js'
import { Parser } from 'pg-protocol/dist/parser.js'
import type { Statement } from '../../kernel/sql.ts'
import type { Result, Row } from '../db.ts'

export type Prepared = {
  readonly name: string
  /** The result's columns; null until a response has described them. They needn't be requested again: if they change,
   *  Postgres refuses the statement (0A000), and it's prepared again. */
  columns: readonly ResultColumn[] | null
}

/** Sends frontend messages (the last one a Sync or a simple Query) and returns the complete response. */
export type ExchangeFunction = (bytes: Uint8Array) => Promise<Uint8Array>

type TransactionStatus = 'I' | 'T' | 'E'

export type ResultColumn = { readonly name: string; readonly parse: (text: string) => unknown }

export type DecodedResponse = {
  readonly results: Result[]
  readonly columns: readonly (readonly ResultColumn[] | undefined)[]
  readonly status: TransactionStatus
}

const DESCRIBE_PORTAL = serialize.describe({ type: 'P', name: '' })
const EXECUTE = serialize.execute({})
export const SYNC: Buffer = serialize.sync()

/** Encodes a statement's messages, without the Sync that ends an exchange.
 *  @param prepared The prepared statement to run; null parses the text each time. */
export function encodeStatement({ text, values, bind: kept }: Statement, prepared: Prepared | null): Buffer[] {
  const bind = (prepared && kept) ?? encodeBind(prepared?.name ?? '', values)
  if (prepared === null) return [serialize.parse({ text }), ...bind, DESCRIBE_PORTAL, EXECUTE]
  return prepared.columns === null ? [...bind, DESCRIBE_PORTAL, EXECUTE] : [...bind, EXECUTE]
}

/** Returns a text's prepared name, the same in all sessions, so that a statement can be encoded before it has one. */
export const preparedName = (text: string): string => `undock_${hash('sha256', text, 'base64url')}`

/** Encodes the values of a statement that will run repeatedly. */
export const withBind = (one: Statement): Statement => ({
  ...one,
  bind: encodeBind(preparedName(one.text), one.values),
})

/** Bytes from which a value isn't copied into the message but sent between two parts of it. */
const LARGE_VALUE = 64 * 1024

/** Encodes a Bind message in parts: the package writes it with empty large values, then the lengths are corrected. */
function encodeBind(statement: string, parameters: readonly unknown[]): Buffer[] {
  const values = parameters.map(toParameter)
  const isLarge = (value: string | Buffer | null): value is Buffer =>
    value instanceof Buffer && value.length >= LARGE_VALUE
  const bind = serialize.bind({ statement, values: values.map((value) => (isLarge(value) ? EMPTY : value)) })
  if (!values.some(isLarge)) return [bind]
  const parts: Buffer[] = []
  // Header, two zero-terminated names, a format per value, and the number of values.
  let at = HEADER + 1 + Buffer.byteLength(statement) + 1 + 2 + 2 * values.length + 2
  let start = 0
  let added = 0
  for (const value of values) {
    if (isLarge(value)) {
      bind.writeInt32BE(value.length, at)
      parts.push(bind.subarray(start, at + 4), value)
      start = at + 4
      added += value.length
    }
    at += 4 + Math.max(0, bind.readInt32BE(at) - (isLarge(value) ? value.length : 0))
  }
  bind.writeInt32BE(bind.readInt32BE(1) + added, 1)
  return [...parts, bind.subarray(start)]
}

const EMPTY = Buffer.alloc(0)

export const encodePrepare = (name: string, text: string): Buffer => serialize.parse({ name, text })
export const encodeClose = (name: string): Buffer => serialize.close({ type: 'S', name })
export const encodeScript = (script: string): Buffer => serialize.query(script)

/** Decodes a complete response.
 *  @param columnsOf Columns by a result's position, for results without a description.
 *  @throws {DatabaseError} the first error in the response. */
export function decode(
  bytes: Uint8Array,
  columnsOf: (index: number) => readonly ResultColumn[] = () => [],
): DecodedResponse {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const results: Result[] = []
  const columns: (readonly ResultColumn[] | undefined)[] = []
  let failure: DatabaseError | null = null
  let status: TransactionStatus = 'I'
  let described: readonly ResultColumn[] | undefined
  let rows: Row[] = []
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
        rows.push(readRow(buffer, body, described ?? columnsOf(results.length)))
        break
      case COMMAND_COMPLETE: {
        results.push({ rows, ...readTag(buffer.toString('latin1', body, end - 1)) })
        columns.push(described)
        rows = []
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
  if (failure) throw failure
  return { results, columns, status }
}

const HEADER = 5
const ROW_DESCRIPTION = 'T'.charCodeAt(0)
const NO_DATA = 'n'.charCodeAt(0)
const DATA_ROW = 'D'.charCodeAt(0)
const COMMAND_COMPLETE = 'C'.charCodeAt(0)
const EMPTY_QUERY = 'I'.charCodeAt(0)
const READY_FOR_QUERY = 'Z'.charCodeAt(0)
const ERROR = 'E'.charCodeAt(0)

/** Each column is a zero-terminated name and 18 bytes, the seventh to tenth of which are the type. */
function readColumns(buffer: Buffer, body: number): ResultColumn[] {
  const columns: ResultColumn[] = []
  let at = body + 2
  for (let remaining = buffer.readUInt16BE(body); remaining > 0; remaining--) {
    const end = buffer.indexOf(0, at)
    const type = buffer.readUInt32BE(end + 7)
    columns.push({ name: buffer.toString('utf8', at, end), parse: fromText(type) })
    at = end + 19
  }
  return columns
}

function readRow(buffer: Buffer, body: number, columns: readonly ResultColumn[]): Row {
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

function readError(message: Buffer): DatabaseError | null {
  let error: DatabaseError | null = null
  new Parser().parse(message, (read: BackendMessage) => {
    if (read instanceof DatabaseError) error = read
  })
  return error
}

/** "INSERT 0 3" and "SELECT 3" both end with the number of rows. */
function readTag(tag: string): { command: string; rowCount: number } {
  const words = tag.split(' ')
  return { command: words[0] ?? '', rowCount: Number(words.at(-1)) || 0 }
}

// Loads only these two parts of node-postgres, because PGlite doesn't need its client.

const types = new TypeOverrides()

const toParameter: (value: unknown) => string | Buffer | null = utils.prepareValue

const fromText = (oid: number): ((text: string) => unknown) => types.getTypeParser(oid, 'text')

/** Runs a script by the simple protocol; a transaction that it leaves open is rolled back. */
export async function runScript({ exchange }: { readonly exchange: ExchangeFunction }, script: string): Promise<void> {
  const bytes = await exchange(encodeScript(script))
  let isOpen = true
  try {
    isOpen = decode(bytes).status !== 'I'
  } finally {
    // Also after an error, because others use the session. Without an open transaction this only warns.
    if (isOpen) await exchange(encodeScript('rollback'))
  }
}
