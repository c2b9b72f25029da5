import { BetweenVerticalEnd, BetweenVerticalStart, type LucideIcon } from 'lucide-react'
import { Tooltip } from '../../../components/tooltip.tsx'
import { classNames } from '../../../lib/ui/class-names.ts'

type ToolbarButtonProps = {
  label: string
  icon: LucideIcon
  /** Undefined for an action without state. */
  isPressed?: boolean
  isDisabled?: boolean
  type?: 'button' | 'submit'
  onPress?: () => void
}

/** Icons to mirror in right-to-left languages. */
const SIDEWAYS: ReadonlySet<LucideIcon> = new Set([BetweenVerticalEnd, BetweenVerticalStart])

/** A button that keeps the text selection. */
export function ToolbarButton({
  label,
  icon: Icon,
  isPressed,
  isDisabled,
  type = 'button',
  onPress,
}: ToolbarButtonProps) {
  return (
    <Tooltip text={label}>
      <button
        type={type}
        aria-label={label}
        aria-pressed={isPressed}
        disabled={isDisabled}
        onMouseDown={(event) => event.preventDefault()}
        onClick={onPress}
        className={classNames(
          'grid size-8 place-items-center rounded-md text-ink-soft hover:bg-hover disabled:opacity-50',
          isPressed && 'bg-accent-soft text-accent-strong',
        )}
      >
        <Icon aria-hidden className={classNames('size-4', SIDEWAYS.has(Icon) && 'rtl:-scale-x-100')} />
      </button>
    </Tooltip>
  )
}
