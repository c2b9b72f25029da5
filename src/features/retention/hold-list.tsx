import { Link } from '@tanstack/react-router'
import { Button } from '../../components/button.tsx'
import { useAction } from '../../domain/failure-toast.ts'
import { formatDate } from '../../lib/i18n/format.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { liftHold } from './mutations.ts'
import type { Hold } from './queries.ts'

export function HoldList({ library, holds, isOwner }: { library: string; holds: readonly Hold[]; isOwner: boolean }) {
  const lifting = useAction(liftHold)
  return (
    <ul aria-label={t('Legal holds')} className="divide-y divide-line rounded-lg border border-line bg-surface">
      {holds.map(({ document_id: document, document: { title }, reason, placed_at, author }) => (
        <li key={document} className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
          <div className="min-w-0 flex-1 basis-60">
            <Link
              dir="auto"
              to="/l/$library/d/$document"
              params={{ library, document }}
              className="block truncate rounded font-medium text-sm hover:text-accent-strong hover:underline"
            >
              {title}
            </Link>
            <p dir="auto" className="text-ink-soft text-xs [overflow-wrap:anywhere]">
              {reason}
            </p>
            <p className="text-ink-faint text-xs">
              {[author?.display_name ?? t('Someone'), formatDate(placed_at)].join(' · ')}
            </p>
          </div>
          {isOwner ? (
            <Button
              size="small"
              aria-label={t('Lift the hold on “{title}”', { title })}
              busy={lifting.isPending && lifting.variables.document === document}
              onClick={() => lifting.mutate({ library, document })}
            >
              {t('Lift the hold')}
            </Button>
          ) : null}
        </li>
      ))}
    </ul>
  )
}
