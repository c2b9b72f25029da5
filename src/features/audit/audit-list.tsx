import { formatMoment } from '../../lib/i18n/format.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { deletedAccount } from './audit-filters.tsx'
import type { AuditEntry } from './queries.ts'

/** Entries as the log has them, newest first. */
export function AuditList({ entries }: { entries: readonly AuditEntry[] }) {
  return (
    <ol aria-label={t('Entries')} className="divide-y divide-line rounded-lg border border-line bg-surface">
      {entries.map((entry) => (
        <li key={entry.id} className="grid gap-x-4 gap-y-0.5 px-4 py-2.5 text-sm sm:grid-cols-[11rem_minmax(0,1fr)]">
          <time dateTime={entry.created_at} className="text-ink-faint text-xs leading-5 tabular-nums">
            {formatMoment(entry.created_at)}
          </time>
          <div className="min-w-0 [overflow-wrap:anywhere]">
            <p className="flex flex-wrap gap-x-2">
              <bdi className="font-medium">{whoOf(entry)}</bdi>
              <code dir="ltr" className="text-xs leading-5">
                {entry.kind}
              </code>
            </p>
            <p className="text-ink-soft text-xs">
              {Object.entries(entry.details).map(([name, value], index) => (
                <span key={name}>
                  {index > 0 ? ' · ' : null}
                  <bdi dir="ltr" className="text-ink-faint">
                    {name}
                  </bdi>{' '}
                  <bdi>{typeof value === 'string' ? value : JSON.stringify(value)}</bdi>
                </span>
              ))}
            </p>
          </div>
        </li>
      ))}
    </ol>
  )
}

const whoOf = ({ person, person_id }: AuditEntry): string =>
  person ?? (person_id ? deletedAccount(person_id) : t('Nobody who is signed in'))
