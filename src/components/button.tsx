import { LoaderCircle, type LucideIcon } from 'lucide-react'
import * as Slot from 'radix-ui/slot'
import type { ComponentProps } from 'react'
import { classNames } from '../lib/ui/class-names.ts'

const LOOKS = {
  // A border that only forced colors show.
  primary: 'border border-transparent bg-accent text-on-accent hover:bg-accent-strong',
  secondary: 'border border-line bg-surface text-ink hover:border-edge hover:bg-hover',
  quiet: 'text-ink-soft hover:bg-hover hover:text-ink',
  danger: 'border border-danger/45 bg-surface text-danger hover:bg-danger-soft',
}
const SIZES = {
  normal: 'h-10 px-4 text-sm',
  small: 'h-8 px-3 text-[0.8125rem]',
  icon: 'size-9',
  'small-icon': 'size-8',
}

type ButtonProps = ComponentProps<'button'> & {
  look?: keyof typeof LOOKS | undefined
  size?: keyof typeof SIZES | undefined
  icon?: LucideIcon
  asChild?: boolean
  busy?: boolean
}

/** @param busy Ignores further presses and is announced by screen readers.
 *  @param disabled Ignores presses but keeps the focus.
 *  @param asChild Styles its only child, such as a link. */
export function Button({
  look = 'secondary',
  size = 'normal',
  icon: Icon,
  asChild,
  busy,
  disabled,
  className,
  type,
  children,
  onClick,
  ...props
}: ButtonProps) {
  const classes = classNames(
    'inline-flex shrink-0 select-none items-center justify-center gap-2 whitespace-nowrap rounded-md font-medium transition-colors duration-150 aria-disabled:cursor-not-allowed [&_svg]:size-4 [&_svg]:shrink-0',
    LOOKS[look],
    SIZES[size],
    className,
  )
  if (asChild) {
    return (
      <Slot.Root className={classes} onClick={onClick} {...props}>
        {children}
      </Slot.Root>
    )
  }
  const inert = busy || disabled
  return (
    <button
      type={type ?? 'button'}
      className={disabled ? classNames(classes, 'opacity-55') : classes}
      aria-busy={busy || undefined}
      // Not `disabled`, which would drop the keyboard focus.
      aria-disabled={inert || undefined}
      onClick={inert ? (event) => event.preventDefault() : onClick}
      {...props}
    >
      {busy ? <LoaderCircle aria-hidden className="animate-spin" /> : null}
      {Icon ? <Icon aria-hidden /> : null}
      {children}
    </button>
  )
}

type IconButtonProps = Omit<ButtonProps, 'asChild' | 'children'> & { icon: LucideIcon; label: string }

/** A button that shows only an icon. @param label Its accessible name. */
export const IconButton = ({ label, look = 'quiet', size = 'small-icon', ...button }: IconButtonProps) => (
  <Button look={look} size={size} aria-label={label} {...button} />
)
