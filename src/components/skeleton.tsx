import { classNames } from '../lib/class-names.ts'

/** The shape of what is coming. Hidden from assistive technology; say "loading" once, on the region. */
export function Skeleton({ className }: { className?: string }) {
  return <span aria-hidden className={classNames('block animate-breathe rounded-md bg-hover', className)} />
}
