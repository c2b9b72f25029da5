import type { LucideIcon } from 'lucide-react'
import { ToggleGroup } from 'radix-ui'

type SegmentedProps<Value extends string> = {
  label: string
  value: Value
  onChange: (value: Value) => void
  options: readonly { value: Value; label: string; icon: LucideIcon; iconOnly?: boolean }[]
}

/** A choice between a few options. Exactly one is pressed at any time. */
export function Segmented<Value extends string>({ label, value, onChange, options }: SegmentedProps<Value>) {
  const choose = (chosen: string) => {
    // Radix reports '' when the pressed option is pressed again. It stays pressed.
    const option = options.find((candidate) => candidate.value === chosen)
    if (option) onChange(option.value)
  }
  return (
    <ToggleGroup.Root
      type="single"
      aria-label={label}
      value={value}
      onValueChange={choose}
      className="inline-flex rounded-md border border-line bg-sunken p-0.5"
    >
      {options.map(({ value: option, label: name, icon: Icon, iconOnly }) => (
        <ToggleGroup.Item
          key={option}
          value={option}
          aria-label={name}
          className="inline-flex h-8 min-w-8 items-center justify-center gap-2 rounded px-2 text-ink-soft text-sm hover:text-ink data-[state=on]:bg-surface data-[state=on]:text-ink data-[state=on]:shadow-sm"
        >
          <Icon aria-hidden className="size-4" />
          {iconOnly ? null : name}
        </ToggleGroup.Item>
      ))}
    </ToggleGroup.Root>
  )
}
