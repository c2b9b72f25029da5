import { RotateCcw, Trash2 } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { DAY_MS } from '../../domain/day-range.ts'
import { formatRelativeTime } from '../../lib/i18n/format.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { sizeLabel } from './document-size.ts'
import { describeKind } from './kinds.ts'
import type { Trashed } from './queries.ts'

/** Whole days until a document is deleted permanently; 0 if due. */
export const daysLeft = (goneAt: string, now: number = Date.now()): number =>
  Math.max(0, Math.ceil((Date.parse(goneAt) - now) / DAY_MS))

type TrashListProps = {
  documents: readonly Trashed[]
  isOwner: boolean
  onRestore: (document: Trashed) => void
  onDelete: (document: Trashed) => void
}

export function TrashList({ documents, isOwner, onRestore, onDelete }: TrashListProps) {
  return (
    <ul className="divide-y divide-line overflow-hidden rounded-lg border border-line bg-surface">
      {documents.map((document) => {
        const { label, icon: Icon } = describeKind(document)
        return (
          <li key={document.id} className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
            <div className="min-w-0 flex-1 basis-60">
              <p dir="auto" className="truncate font-medium font-serif text-base">
                {document.title}
              </p>
              <p className="flex flex-wrap items-center gap-x-1.5 text-ink-faint text-xs">
                <Icon aria-hidden className="size-3.5" />
                {[label, sizeLabel(document)].filter(Boolean).join(' · ')} ·{' '}
                <time dateTime={document.deleted_at ?? undefined}>
                  {t('deleted {when}', { when: formatRelativeTime(document.deleted_at ?? '') })}
                </time>{' '}
                ·{' '}
                {document.gone_at
                  ? t('{left, plural, one {deleted in # day} other {deleted in # days}}', {
                      left: daysLeft(document.gone_at),
                    })
                  : t('on legal hold')}
              </p>
            </div>
            <div className="flex gap-1.5">
              <Button
                icon={RotateCcw}
                size="small"
                onClick={() => onRestore(document)}
                aria-label={t('Restore {title}', { title: document.title })}
              >
                {t('Restore')}
              </Button>
              {isOwner ? (
                <Button
                  icon={Trash2}
                  size="small"
                  look="danger"
                  onClick={() => onDelete(document)}
                  aria-label={t('Delete permanently: {title}', { title: document.title })}
                >
                  <span className="max-sm:sr-only">{t('Delete permanently')}</span>
                </Button>
              ) : null}
            </div>
          </li>
        )
      })}
    </ul>
  )
}
