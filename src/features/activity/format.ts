import { csvBeginning, csvRow } from '../../lib/csv.ts'
import type { AuditEntry } from './audit-queries.ts'

/** JSON Lines, or CSV for spreadsheets. */
export type AuditFormat = 'csv' | 'jsonl'

const COLUMNS = ['time', 'kind', 'person', 'person_id', 'document_id', 'details', 'id'] as const

export const beginningOf = (format: AuditFormat): string => (format === 'csv' ? csvBeginning(COLUMNS) : '')

export const linesOf = (entries: readonly AuditEntry[], format: AuditFormat): string =>
  entries.map(format === 'csv' ? csvLine : jsonLine).join('')

const csvLine = ({ created_at, kind, person, person_id, document_id, details, id }: AuditEntry): string =>
  csvRow([
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
