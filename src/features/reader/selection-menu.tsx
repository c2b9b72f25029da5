import { MessageSquarePlus } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../../components/button.tsx'
import { Tooltip } from '../../components/tooltip.tsx'
import { HIGHLIGHT_COLORS, type HighlightColor } from '../../domain/highlight-colors.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { classNames } from '../../lib/ui/class-names.ts'
import type { Selected } from './anchors.ts'

type SelectionMenuProps = {
  selected: Selected
  onHighlight: (color: HighlightColor) => void
  onComment: () => void
  children?: ReactNode
}

/** Half of the menu's width, in pixels. */
const HALF = 185

export function SelectionMenu({ selected, onHighlight, onComment, children }: SelectionMenuProps) {
  const edge = Math.min(HALF, innerWidth / 2)
  return (
    <div
      role="toolbar"
      aria-label={t('The selected words')}
      onMouseDown={(event) => event.preventDefault()}
      style={{
        top: Math.max(64, selected.top - 48),
        left: Math.min(Math.max(selected.left, edge), innerWidth - edge),
      }}
      // Phones show a menu of their own next to the selection.
      className="fixed z-30 flex -translate-x-1/2 animate-appear pointer-coarse:top-auto! pointer-coarse:bottom-5 pointer-coarse:left-1/2! items-center gap-0.5 rounded-lg border border-line bg-surface p-1 shadow-lift"
    >
      {HIGHLIGHT_COLORS.map(({ value, label, paint }) => (
        <Tooltip key={value} text={t(label)}>
          <Button
            look="quiet"
            size="small-icon"
            aria-label={t('Highlight: {color}', { color: t(label) })}
            onClick={() => onHighlight(value)}
          >
            <span className={classNames('size-5 rounded-full border border-edge', paint)} />
          </Button>
        </Tooltip>
      ))}
      <Button icon={MessageSquarePlus} look="quiet" size="small" onClick={onComment}>
        <span className="max-sm:sr-only">{t('Comment')}</span>
      </Button>
      {children}
    </div>
  )
}
