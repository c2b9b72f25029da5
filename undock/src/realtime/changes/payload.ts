import { type RawRow, type RowChange, valueIn } from './change-queue.ts'
import type { Column, Table } from './tables.ts'

/** Bytes above which a change keeps only its short values; upstream's `max_record_bytes`. */
const MAX_BYTES = 1_048_576
/** Bytes up to which a value counts as short. */
const SHORT_BYTES = 64

/** Renders a change as JSON text for one role; values stay as the database wrote them.
 *  @param selected Columns the subscriber chose, null for all. The key is always included. */
export function changePayload(
  table: Table,
  change: RowChange,
  role: string,
  selected: readonly string[] | null,
): string {
  const key = table.columns.filter(({ isKey }) => isKey)
  if (change.action !== 'DELETE') {
    if (key.length === 0) return errorPayload(table, change, 'Error 400: Bad Request, no primary key')
    if (key.some(({ readers }) => !readers.includes(role)))
      return errorPayload(table, change, 'Error 401: Unauthorized')
  }
  const columns = table.columns.filter(
    ({ name, isKey, readers }) => readers.includes(role) && (!selected || isKey || selected.includes(name)),
  )
  const tooLarge = size(change.record) + size(change.old) > MAX_BYTES
  const row = (raw: RawRow, shown: readonly Column[]) => rowJson(raw, shown, { onlyShort: tooLarge })
  // Row security can't be evaluated for deleted rows, so only the key is sent.
  const old = change.action === 'DELETE' && table.hasRowSecurity ? columns.filter(({ isKey }) => isKey) : columns
  const fields = [
    `"columns":${JSON.stringify(columns.map(({ name, type }) => ({ name, type })))}`,
    `"commit_timestamp":${JSON.stringify(change.happenedAt)}`,
    `"errors":${tooLarge ? '["Error 413: Payload Too Large"]' : 'null'}`,
    ...head(table, change),
    ...(change.record ? [`"record":${row(change.record, columns)}`] : []),
    ...(change.old ? [`"old_record":${row(change.old, old)}`] : []),
  ]
  return `{${fields.join(',')}}`
}

function errorPayload(table: Table, change: RowChange, error: string): string {
  const record = change.action === 'UPDATE' ? ['"record":null', '"old_record":null'] : ['"record":null']
  const fields = [
    '"columns":null',
    '"commit_timestamp":null',
    `"errors":[${JSON.stringify(error)}]`,
    ...head(table, change),
    ...record,
  ]
  return `{${fields.join(',')}}`
}

const head = (table: Table, { action }: RowChange) => [
  `"schema":${JSON.stringify(table.schema)}`,
  `"table":${JSON.stringify(table.name)}`,
  `"type":"${action}"`,
]

function rowJson(raw: RawRow, columns: readonly Column[], { onlyShort }: { readonly onlyShort: boolean }): string {
  const fields: string[] = []
  for (const { name, type } of columns) {
    const value = valueIn(raw, name)
    if (value === undefined || (onlyShort && value.length > SHORT_BYTES)) continue
    fields.push(`${JSON.stringify(name)}:${type === 'bytea' ? bareHex(value) : value}`)
  }
  return `{${fields.join(',')}}`
}

/** Upstream's stream omits the `\x` of bytea. */
const bareHex = (json: string) => (json.startsWith('"\\\\x') ? `"${json.slice('"\\\\x'.length)}` : json)

function size(raw: RawRow | null): number {
  let bytes = 0
  for (const name in raw) bytes += name.length + (raw[name]?.length ?? 0)
  return bytes
}
