import type { LucideIcon } from 'lucide-react'
import { useId } from 'react'

type SegmentedProps<Value extends string> = {
  label: string
  value: Value
  onChange: (value: Value) => void
  options: readonly { value: Value; label: string; icon: LucideIcon; iconOnly?: boolean }[]
}

export function Segmented<Value extends string>({ label, value, onChange, options }: SegmentedProps<Value>) {
  const group = useId()
  return (
    <div role="radiogroup" aria-label={label} className="inline-flex rounded-md border border-line bg-sunken p-0.5">
      {options.map(({ value: option, label: name, icon: Icon, iconOnly }) => (
        <label
          key={option}
          className="relative inline-flex h-8 min-w-8 items-center justify-center gap-2 rounded px-2 text-ink-soft text-sm hover:text-ink has-checked:bg-surface has-checked:text-ink has-checked:shadow-sm"
        >
          <input
            type="radio"
            name={group}
            aria-label={name}
            checked={option === value}
            onChange={() => onChange(option)}
            className="absolute inset-0 cursor-pointer appearance-none rounded"
          />
          <Icon aria-hidden className="size-4" />
          {iconOnly ? null : name}
        </label>
      ))}
    </div>
  )
}
