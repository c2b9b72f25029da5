import { cva, type VariantProps } from 'class-variance-authority'
import { LoaderCircle } from 'lucide-react'
import { Slot } from 'radix-ui'
import type { ComponentProps } from 'react'
import { classNames } from '../lib/class-names.ts'

const style = cva(
  'inline-flex shrink-0 select-none items-center justify-center gap-2 whitespace-nowrap rounded-md font-medium transition-colors duration-150 disabled:cursor-not-allowed disabled:opacity-55 [&_svg]:size-4 [&_svg]:shrink-0',
  {
    variants: {
      look: {
        primary: 'bg-accent text-on-accent hover:bg-accent-strong',
        secondary: 'border border-line bg-surface text-ink hover:border-edge hover:bg-hover',
        quiet: 'text-ink-soft hover:bg-hover hover:text-ink',
        danger: 'border border-danger/45 bg-surface text-danger hover:bg-danger-soft',
      },
      size: {
        normal: 'h-10 px-4 text-sm',
        small: 'h-8 px-3 text-[0.8125rem]',
        icon: 'size-9',
        'small-icon': 'size-8',
      },
    },
    defaultVariants: { look: 'secondary', size: 'normal' },
  },
)

type ButtonProps = ComponentProps<'button'> & VariantProps<typeof style> & { asChild?: boolean; busy?: boolean }

/** @param busy The action is under way: pressing again does nothing, and assistive technology is told.
 *  @param asChild Lends its looks to the one child, a link for instance. */
export function Button({ look, size, asChild, busy, className, type, children, onClick, ...props }: ButtonProps) {
  const classes = classNames(style({ look, size }), className)
  if (asChild) {
    return (
      <Slot.Root className={classes} onClick={onClick} {...props}>
        {children}
      </Slot.Root>
    )
  }
  return (
    <button
      type={type ?? 'button'}
      className={classes}
      aria-busy={busy || undefined}
      // aria-disabled rather than disabled while busy: a disabled button drops the keyboard focus it holds.
      aria-disabled={busy || undefined}
      onClick={busy ? (event) => event.preventDefault() : onClick}
      {...props}
    >
      {busy ? <LoaderCircle aria-hidden className="animate-spin" /> : null}
      {children}
    </button>
  )
}
