import type { ComponentProps } from 'react'
import { classNames } from '../lib/ui/class-names.ts'

export const CONTROL =
  'base:w-full base:rounded-md border border-edge/60 bg-surface base:px-3 base:text-[0.9375rem] text-ink placeholder:text-ink-faint transition-colors hover:border-edge focus-visible:border-accent focus-visible:outline-2 focus-visible:outline-offset-0 disabled:cursor-not-allowed disabled:bg-sunken disabled:text-ink-soft aria-invalid:border-danger'

export function Input({ className, ...props }: ComponentProps<'input'>) {
  return <input className={classNames(CONTROL, 'base:h-10', className)} {...props} />
}

export function Textarea({ className, ...props }: ComponentProps<'textarea'>) {
  return <textarea className={classNames(CONTROL, 'base:min-h-28 py-2 leading-relaxed', className)} {...props} />
}
