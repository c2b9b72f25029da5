import { Progress as Radix } from 'radix-ui'
import { classNames } from '../lib/ui/class-names.ts'

/** @param value 0 to 1; `null` while the extent is not known. */
export function Progress({ value, label, className }: { value: number | null; label: string; className?: string }) {
  const percent = value === null ? null : Math.round(Math.min(1, Math.max(0, value)) * 100)
  return (
    <Radix.Root
      value={percent}
      aria-label={label}
      className={classNames('base:h-1 base:w-full overflow-hidden rounded-full bg-hover', className)}
    >
      <Radix.Indicator
        className={classNames(
          'block h-full rounded-full bg-accent transition-[width] duration-300',
          percent === null && 'w-1/3 animate-breathe',
        )}
        style={percent === null ? undefined : { width: `${percent}%` }}
      />
    </Radix.Root>
  )
}
