import type { ComponentProps } from 'react'
import { classNames } from '../lib/ui/class-names.ts'

/** A native checkbox in the app's colours. Give it an `aria-label` where no label stands beside it. */
export function Checkbox({ className, ...props }: Omit<ComponentProps<'input'>, 'type'>) {
  return <input type="checkbox" className={classNames('size-4.5 shrink-0 accent-(--accent)', className)} {...props} />
}
