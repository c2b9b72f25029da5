import { ArrowLeftRight, Columns2, FolderInput, MessageCircleQuestion, RotateCw, Tag, Trash2, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button, IconButton } from '../../../components/button.tsx'
import { countDocuments } from '../../../domain/counts.ts'
import { formatNumber } from '../../../lib/i18n/format.ts'
import { t } from '../../../lib/i18n/i18n.ts'

type SelectionBarProps = {
  count: number
  total: number
  /** Set if everything loaded is selected and there is more. */
  onSelectAll: (() => void) | undefined
  isSelectingAll: boolean
  /** Undefined for people who can't use Ask. */
  onAsk: (() => void) | undefined
  onCompare: (() => void) | undefined
  citing: ReactNode
  onMove: () => void
  onTag: () => void
  /** Undefined without fields. */
  onFill: (() => void) | undefined
  onReadAgain: (() => void) | undefined
  onTrash: () => void
  onClear: () => void
}

export function SelectionBar({
  count,
  total,
  onSelectAll,
  isSelectingAll,
  onAsk,
  onCompare,
  citing,
  onMove,
  onTag,
  onFill,
  onReadAgain,
  onTrash,
  onClear,
}: SelectionBarProps) {
  return (
    <section
      aria-label={t('Selection')}
      className="fixed inset-x-3 bottom-4 z-20 mx-auto flex w-fit max-w-[calc(100vw-1.5rem)] animate-rise flex-wrap items-center gap-1 rounded-xl border border-line bg-surface p-1.5 ps-4 shadow-lift"
    >
      <p aria-live="polite" className="me-2 whitespace-nowrap font-medium text-sm">
        {onSelectAll || isSelectingAll ? (
          t('{count} of {total} documents selected', { count: formatNumber(count), total: formatNumber(total) })
        ) : (
          <>
            {countDocuments(count)}
            <span className="max-sm:sr-only"> {t('selected')}</span>
          </>
        )}
      </p>
      {onSelectAll || isSelectingAll ? (
        <Button size="small" busy={isSelectingAll} onClick={onSelectAll}>
          {t('Select all {total}', { total: formatNumber(total) })}
        </Button>
      ) : null}
      {onAsk ? (
        <Button look="quiet" size="small" onClick={onAsk} aria-label={t('Ask the selection')}>
          <MessageCircleQuestion aria-hidden />
          <span className="max-sm:sr-only">{t('Ask')}</span>
        </Button>
      ) : null}
      {onCompare ? (
        <Button look="quiet" size="small" onClick={onCompare}>
          <ArrowLeftRight aria-hidden />
          <span className="max-sm:sr-only">{t('Compare')}</span>
        </Button>
      ) : null}
      {citing}
      <Button look="quiet" size="small" onClick={onMove}>
        <FolderInput aria-hidden />
        <span className="max-sm:sr-only">{t('Move…')}</span>
      </Button>
      <Button look="quiet" size="small" onClick={onTag}>
        <Tag aria-hidden />
        <span className="max-sm:sr-only">{t('Tag…')}</span>
      </Button>
      {onFill ? (
        <Button look="quiet" size="small" onClick={onFill}>
          <Columns2 aria-hidden />
          <span className="max-sm:sr-only">{t('Fields…')}</span>
        </Button>
      ) : null}
      {onReadAgain ? (
        <Button look="quiet" size="small" onClick={onReadAgain}>
          <RotateCw aria-hidden />
          <span className="max-sm:sr-only">{t('Retry')}</span>
        </Button>
      ) : null}
      <Button look="quiet" size="small" onClick={onTrash} aria-label={t('Move the selection to the trash')}>
        <Trash2 aria-hidden />
        <span className="max-sm:sr-only">{t('Trash')}</span>
      </Button>
      <IconButton icon={X} label={t('Clear the selection')} onClick={onClear} />
    </section>
  )
}
