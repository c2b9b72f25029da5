import { cva, type VariantProps } from 'class-variance-authority'
import type { ComponentProps } from 'react'
import { classNames } from '../lib/ui/class-names.ts'

const style = cva(
  'inline-flex items-center gap-1.5 rounded-full px-2 py-0.5 font-medium text-xs [&_svg]:size-3 [&_svg]:shrink-0',
  {
    variants: {
      tone: {
        neutral: 'bg-sunken text-ink-soft',
        accent: 'bg-accent-soft text-accent-strong',
        amber: 'bg-amber-soft text-amber',
        danger: 'bg-danger-soft text-danger',
      },
    },
    defaultVariants: { tone: 'neutral' },
  },
)

export function Badge({ tone, className, ...props }: ComponentProps<'span'> & VariantProps<typeof style>) {
  return <span className={classNames(style({ tone }), className)} {...props} />
}
