import { Highlighter, MessageSquarePlus } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { t } from '../../lib/i18n/i18n.ts'
import type { Selected } from './anchors.ts'

type SelectionMenuProps = { selected: Selected; onHighlight: () => void; onComment: () => void }

/** What can be done with selected words, just above them. */
export function SelectionMenu({ selected, onHighlight, onComment }: SelectionMenuProps) {
  return (
    <div
      role="toolbar"
      aria-label={t('The selected words')}
      // The words stay selected when a button is pressed.
      onMouseDown={(event) => event.preventDefault()}
      style={{ top: Math.max(64, selected.top - 48), left: Math.min(Math.max(selected.left, 110), innerWidth - 110) }}
      className="fixed z-30 flex -translate-x-1/2 animate-appear gap-0.5 rounded-lg border border-line bg-surface p-1 shadow-lift"
    >
      <Button look="quiet" size="small" onClick={onHighlight}>
        <Highlighter aria-hidden />
        {t('Highlight')}
      </Button>
      <Button look="quiet" size="small" onClick={onComment}>
        <MessageSquarePlus aria-hidden />
        {t('Comment')}
      </Button>
    </div>
  )
}
