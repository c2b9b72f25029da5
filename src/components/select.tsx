import type { ComponentProps } from 'react'
import { classNames } from '../lib/ui/class-names.ts'
import { CONTROL } from './input.tsx'

type SelectProps<Value extends string> = Omit<ComponentProps<'select'>, 'value' | 'onChange'> & {
  value: Value
  onValue: (value: Value) => void
  options: readonly { value: Value; label: string }[]
}

/** A native select: it opens the system's own picker on a phone and supports typing on a keyboard. */
export function Select<Value extends string>({ value, onValue, options, className, ...props }: SelectProps<Value>) {
  return (
    <select
      {...props}
      value={value}
      onChange={({ target }) => {
        const chosen = options.find((option) => option.value === target.value)
        if (chosen) onValue(chosen.value)
      }}
      className={classNames(CONTROL, 'base:h-10 cursor-pointer pr-8', className)}
    >
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.label}
        </option>
      ))}
    </select>
  )
}
