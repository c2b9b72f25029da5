import { classNames } from '../lib/ui/class-names.ts'

/** @param value 0 to 1; `null` if indeterminate. */
export function Progress({ value, label, className }: { value: number | null; label: string; className?: string }) {
  const percent = value === null ? undefined : Math.round(Math.min(1, Math.max(0, value)) * 100)
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent}
      aria-valuetext={percent === undefined ? undefined : `${percent}%`}
      className={classNames('base:h-1 base:w-full overflow-hidden rounded-full bg-hover', className)}
    >
      <div
        className={classNames(
          'h-full rounded-full bg-accent transition-[width] duration-300',
          percent === undefined && 'w-1/3 animate-breathe',
        )}
        style={percent === undefined ? undefined : { width: `${percent}%` }}
      />
    </div>
  )
}
