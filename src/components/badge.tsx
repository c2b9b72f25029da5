import type { ComponentProps } from 'react'
import { classNames } from '../lib/ui/class-names.ts'

const TONES = {
  neutral: 'bg-sunken text-ink-soft',
  accent: 'bg-accent-soft text-accent-strong',
  amber: 'bg-amber-soft text-amber',
  danger: 'bg-danger-soft text-danger',
}

type BadgeProps = ComponentProps<'span'> & { tone?: keyof typeof TONES | undefined }

export function Badge({ tone = 'neutral', className, ...props }: BadgeProps) {
  const look =
    'inline-flex items-center gap-1.5 rounded-full px-2 py-0.5 font-medium text-xs [&_svg]:size-3 [&_svg]:shrink-0'
  return <span className={classNames(look, TONES[tone], className)} {...props} />
}
