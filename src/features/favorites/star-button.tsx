import { Star } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { Tooltip } from '../../components/tooltip.tsx'
import { t } from '../../lib/i18n/i18n.ts'
import { classNames } from '../../lib/ui/class-names.ts'
import { shortcutLabel } from '../../lib/ui/shortcut.ts'

type StarButtonProps = { isFavorite: boolean; onToggle: () => void }

export function StarButton({ isFavorite, onToggle }: StarButtonProps) {
  const text = isFavorite ? t('Remove from favorites') : t('Add to favorites')
  return (
    <Tooltip text={text} shortcut={shortcutLabel('s')}>
      <Button
        look="quiet"
        size="small-icon"
        aria-label={t('Favorite')}
        aria-pressed={isFavorite}
        onClick={onToggle}
        className="aria-pressed:text-amber"
      >
        <Star aria-hidden className={classNames(isFavorite && 'fill-current')} />
      </Button>
    </Tooltip>
  )
}
