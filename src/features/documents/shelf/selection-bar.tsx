import { ArrowLeftRight, Columns2, FolderInput, MessageCircleQuestion, RotateCw, Tag, Trash2, X } from 'lucide-react'
import type { ComponentProps, ReactNode } from 'react'
import { Button, IconButton } from '../../../components/button.tsx'
import { countDocuments } from '../../../domain/counts.ts'
import { formatNumber } from '../../../lib/i18n/format.ts'
import { t } from '../../../lib/i18n/i18n.ts'

export type SelectionBarProps = {
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
      data-selection
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
        <Tool icon={MessageCircleQuestion} name={t('Ask')} aria-label={t('Ask the selection')} onClick={onAsk} />
      ) : null}
      {onCompare ? <Tool icon={ArrowLeftRight} name={t('Compare')} onClick={onCompare} /> : null}
      {citing}
      <Tool icon={FolderInput} name={t('Move…')} onClick={onMove} />
      <Tool icon={Tag} name={t('Tag…')} onClick={onTag} />
      {onFill ? <Tool icon={Columns2} name={t('Fields…')} onClick={onFill} /> : null}
      {onReadAgain ? <Tool icon={RotateCw} name={t('Retry')} onClick={onReadAgain} /> : null}
      <Tool icon={Trash2} name={t('Trash')} aria-label={t('Move the selection to the trash')} onClick={onTrash} />
      <IconButton icon={X} label={t('Clear the selection')} onClick={onClear} />
    </section>
  )
}

/** A button whose name is hidden on narrow screens. */
const Tool = ({ name, ...button }: ComponentProps<typeof Button> & { name: string }) => (
  <Button look="quiet" size="small" {...button}>
    <span className="max-sm:sr-only">{name}</span>
  </Button>
)
