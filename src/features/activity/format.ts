import type { AuditEntry } from './audit-queries.ts'

export type AuditFormat = 'csv' | 'jsonl'

const COLUMNS = ['time', 'kind', 'person', 'person_id', 'document_id', 'details', 'id'] as const

/** What a spreadsheet takes for the beginning of a formula; also in full width. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/

/** One field of a CSV (RFC 4180), always in quotes. What a spreadsheet would compute gets an apostrophe before it, as OWASP
 *  recommends against CSV injection. */
function field(value: string): string {
  const harmless = FORMULA.test(value) ? `'${value}` : value
  return `"${harmless.replaceAll('"', '""')}"`
}

const row = (values: readonly string[]): string => `${values.map(field).join(',')}\r\n`

/** What a file begins with: in CSV a byte order mark, by which Excel knows UTF-8, and the names of the columns. */
export const beginningOf = (format: AuditFormat): string => (format === 'csv' ? `\uFEFF${row(COLUMNS)}` : '')

/** Entries as lines of a file. */
export const linesOf = (entries: readonly AuditEntry[], format: AuditFormat): string =>
  entries.map(format === 'csv' ? csvLine : jsonLine).join('')

const csvLine = ({ created_at, kind, person, person_id, document_id, details, id }: AuditEntry): string =>
  row([
    new Date(created_at).toISOString(),
    kind,
    person ?? '',
    person_id ?? '',
    document_id ?? '',
    JSON.stringify(details),
    String(id),
  ])

const jsonLine = ({ created_at, ...entry }: AuditEntry): string =>
  `${JSON.stringify({ time: new Date(created_at).toISOString(), ...entry })}\n`
