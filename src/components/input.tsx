import type { ComponentProps } from 'react'
import { type Column, MAX_LENGTH } from '../../supabase/functions/_shared/facts.ts'
import { classNames } from '../lib/ui/class-names.ts'

export const CONTROL =
  'base:w-full base:rounded-md border border-edge/60 bg-surface base:px-3 base:text-[0.9375rem] text-ink placeholder:text-ink-faint transition-colors hover:border-edge focus-visible:border-accent focus-visible:outline-2 focus-visible:outline-offset-0 disabled:cursor-not-allowed disabled:bg-sunken disabled:text-ink-soft aria-invalid:border-danger'

/** Limits the length to what the database stores in a column. */
type Limited = { column?: Column }

export function Input({ className, column, ...props }: ComponentProps<'input'> & Limited) {
  const maxLength = column && MAX_LENGTH[column]
  return <input className={classNames(CONTROL, 'base:h-10', className)} maxLength={maxLength} {...props} />
}

export function Textarea({ className, column, ...props }: ComponentProps<'textarea'> & Limited) {
  const look = classNames(CONTROL, 'base:min-h-28 py-2 leading-relaxed', className)
  return <textarea className={look} maxLength={column && MAX_LENGTH[column]} {...props} />
}
