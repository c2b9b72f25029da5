import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Dialog } from '../../components/dialog.tsx'
import { FailureNotice } from '../../components/notice.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { problemText } from '../../domain/problem.ts'
import { changeSentence } from '../../domain/rule-changes.ts'
import { formatMoment, formatRelativeTime } from '../../lib/i18n/format.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { ruleRunsQuery } from './queries.ts'
import type { Rule } from './rule.ts'

/** A rule's last twenty runs. Mounted only while open. */
export function RunsDialog({ library, rule, onClose }: { library: string; rule: Rule; onClose: () => void }) {
  const { data: runs, error } = useQuery(ruleRunsQuery(library, rule.id))
  return (
    <Dialog open onOpenChange={onClose} title={t('Latest runs of “{name}”', { name: rule.name })}>
      <FailureNotice error={error} />
      {runs?.length === 0 ? <p className="text-ink-soft text-sm">{t('It hasn’t run yet.')}</p> : null}
      {runs && runs.length > 0 ? (
        <ol className="divide-y divide-line rounded-lg border border-line text-sm">
          {runs.map(({ id, document_id, document, changes, problem, created_at }) => (
            <li key={id} className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-3 px-3 py-2">
              <Link
                to="/l/$library/d/$document"
                params={{ library, document: document_id }}
                dir="auto"
                className="truncate rounded font-medium hover:text-accent-strong"
              >
                {document.title}
              </Link>
              <time dateTime={created_at} title={formatMoment(created_at)} className="text-ink-faint text-xs">
                {formatRelativeTime(created_at)}
              </time>
              {problem ? (
                <p className="col-span-2 text-danger">{t('Failed: {reason}', { reason: problemText(problem) })}</p>
              ) : (
                <p className="col-span-2 text-ink-soft">
                  {changes.length > 0 ? changes.map(changeSentence).join(', ') : t('Nothing to do.')}
                </p>
              )}
            </li>
          ))}
        </ol>
      ) : runs || error ? null : (
        <Skeleton className="h-32" />
      )}
    </Dialog>
  )
}
