import type { ComponentProps, ReactNode } from 'react'
import { classNames } from '../lib/ui/class-names.ts'

const LOOK = 'size-4.5 shrink-0 accent-(--accent) pointer-coarse:size-6'

/** A native checkbox. Needs an `aria-label` without a visible label. */
export function Checkbox({ className, ...props }: Omit<ComponentProps<'input'>, 'type'>) {
  return <input type="checkbox" className={classNames(LOOK, className)} {...props} />
}

type LabelledCheckboxProps = {
  checked: boolean
  onChange: (checked: boolean) => void
  className?: string
  children: ReactNode
}

export function LabelledCheckbox({ checked, onChange, className, children }: LabelledCheckboxProps) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the checkbox is inside
    <label className={classNames('flex items-center gap-2.5 text-sm', className)}>
      <Checkbox checked={checked} onChange={({ target }) => onChange(target.checked)} />
      {children}
    </label>
  )
}
