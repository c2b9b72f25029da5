import { DatabaseError, serialize } from 'pg-protocol'
import type { BackendMessage } from 'pg-protocol/dist/messages.js'
import { Parser } from 'pg-protocol/dist/parser.js'
import type { Statement } from '../../kernel/sql.ts'
import type { Result, Row } from '../db.ts'
import type { Prepared } from './prepared.ts'
import { fromText, toParameter } from './values.ts'

/** The state after an exchange: idle, in a transaction, or in one that failed. */
export type TransactionStatus = 'I' | 'T' | 'E'

/** A column of a result: its name, and the type that its text is read as. */
export type Column = { readonly name: string; readonly parse: (text: string) => unknown }

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

type Field = { readonly name: string; readonly dataTypeID: number }

/** Reads a whole response.
 *  @param columnsOf The columns of a result, by its position, that was not asked to describe itself.
 *  @throws {DatabaseError} the first error in it, with the transaction status it left as `transactionStatus`. */
export function decode(bytes: Uint8Array, columnsOf: (index: number) => readonly Column[] = () => []): Answer {
  const results: Result[] = []
  let failure: DatabaseError | null = null
  let status: TransactionStatus = 'I'
  const columns: (readonly Column[] | undefined)[] = []
  let described: readonly Column[] | undefined
  let rows: Row[] = []
  new Parser().parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), (message: BackendMessage) => {
    switch (message.name) {
      case 'rowDescription':
        described = fieldsOf(message).map(({ name, dataTypeID }) => ({ name, parse: fromText(dataTypeID) }))
        break
      case 'noData':
        described = []
        break
      case 'dataRow': {
        const row: Row = {}
        const fields = described ?? columnsOf(results.length)
        valuesOf(message).forEach((value, index) => {
          const field = fields[index]
          if (field) row[field.name] = value === null ? null : field.parse(value)
        })
        rows.push(row)
        break
      }
      case 'commandComplete':
        columns.push(described)
        results.push({ rows, ...readTag(textOf(message)) })
        rows = []
        described = undefined
        break
      case 'emptyQuery':
        columns.push(undefined)
        results.push({ rows: [], rowCount: 0, command: '' })
        break
      case 'readyForQuery':
        status = statusOf(message)
        break
      case 'error':
        if (message instanceof DatabaseError) failure ??= message
        break
      default:
    }
  })
  if (failure) throw Object.assign(failure as DatabaseError, { transactionStatus: status })
  return { results, columns, status }
}

// pg-protocol types its messages by name only; these read the fields that each name has.
const fieldsOf = (message: BackendMessage): Field[] => (message as BackendMessage & { fields: Field[] }).fields
const valuesOf = (message: BackendMessage): Array<string | null> =>
  (message as BackendMessage & { fields: Array<string | null> }).fields
const textOf = (message: BackendMessage): string => (message as BackendMessage & { text: string }).text
const statusOf = (message: BackendMessage): TransactionStatus =>
  (message as BackendMessage & { status: TransactionStatus }).status

/** "INSERT 0 3" and "SELECT 3" both count in their last word. */
function readTag(tag: string): { command: string; rowCount: number } {
  const words = tag.split(' ')
  return { command: words[0] ?? '', rowCount: Number(words.at(-1)) || 0 }
}
