import { apiKeyOf, namesItsSubject, sentence } from '../../domain/activity-sentence.ts'
import { formatMoment } from '../../lib/i18n/format.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { deletedAccount } from './activity-filters.tsx'
import type { AuditEntry } from './audit-queries.ts'

export function AuditList({ entries }: { entries: readonly AuditEntry[] }) {
  return (
    <ol aria-label={t('Entries')} className="divide-y divide-line rounded-lg border border-line bg-surface">
      {entries.map((entry) => (
        <li key={entry.id} className="grid gap-x-4 gap-y-0.5 px-4 py-2.5 text-sm sm:grid-cols-[11rem_minmax(0,1fr)]">
          <time dateTime={entry.created_at} className="text-ink-faint text-xs leading-5 tabular-nums">
            {formatMoment(entry.created_at)}
          </time>
          <div className="min-w-0 [overflow-wrap:anywhere]">
            <Words entry={entry} />
          </div>
        </li>
      ))}
    </ol>
  )
}

function Words({ entry }: { entry: AuditEntry }) {
  const { kind, details } = entry
  const words = sentence(kind, details)
  const apiKey = apiKeyOf(details)
  if (words === kind) {
    return (
      <>
        <p className="flex flex-wrap gap-x-2">
          <bdi className="font-medium">{whoOf(entry)}</bdi>
          <code dir="ltr" className="text-xs leading-5">
            {kind}
          </code>
        </p>
        <Recorded values={details} />
      </>
    )
  }
  const { changed } = details
  return (
    <>
      <p>
        {namesItsSubject(kind, details) ? null : <bdi className="font-medium">{whoOf(entry)}</bdi>}{' '}
        <bdi className="text-ink-soft">{words}</bdi>
        {apiKey ? <span className="text-ink-faint"> {t('with the API key “{name}”', { name: apiKey })}</span> : null}
      </p>
      {typeof changed === 'object' && changed !== null ? <Recorded values={{ ...changed }} /> : null}
    </>
  )
}

function Recorded({ values }: { values: Readonly<Record<string, unknown>> }) {
  return (
    <p className="text-ink-soft text-xs">
      {Object.entries(values)
        .filter(([, value]) => !isId(value))
        .map(([name, value], index) => (
          <span key={name}>
            {index > 0 ? ' · ' : null}
            <bdi dir="ltr" className="text-ink-faint">
              {name}
            </bdi>{' '}
            <bdi>{typeof value === 'string' ? value : JSON.stringify(value)}</bdi>
          </span>
        ))}
    </p>
  )
}

/** Ids are only useful in exports. */
const isId = (value: unknown): boolean =>
  typeof value === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value)

/** Entries without a person: link visitors, or the program for documents and connections. */
const whoOf = ({ person, person_id, kind }: AuditEntry): string =>
  person ?? (person_id ? deletedAccount(person_id) : isOfProgram(kind) ? 'Carrel' : t('Someone not signed in'))

const isOfProgram = (kind: string): boolean =>
  kind.startsWith('document.') || ['webhook.turned_off', 'company.disconnected'].includes(kind)
