import { classNames } from '../lib/ui/class-names.ts'

/** A loading placeholder, hidden from screen readers: label the region as loading instead. */
export function Skeleton({ className }: { className?: string }) {
  return <span aria-hidden className={classNames('block animate-breathe rounded-md bg-hover', className)} />
}
